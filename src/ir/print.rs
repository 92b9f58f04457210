//! The IR as text (`--dump ir`).
