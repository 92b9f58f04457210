//! stub
use crate::{ir::*, inline::Inlined};
pub enum RootKind { Script, Callback, Helper }
pub struct Root { pub kind: RootKind, pub function: FuncId }
pub fn roots(p: &Program, _t: &Texts) -> Vec<(Root, Inlined)> {
  vec![(Root{kind:RootKind::Script,function:FuncId(0)}, Inlined{function:p.functions[0].clone(), locals:p.locals.clone(), cut:false})]
}
