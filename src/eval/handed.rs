//! What leaves the script: tables for the client or for `cjson.encode`, and locals for functions that run later.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    Eval,
    state::{State, Table},
};
use crate::{
    ir::{BlockId, ValueId},
    origin::Site,
    value::Value,
};

/// Tables by the instruction that built them.
pub type Contents = FxHashMap<ValueId, Rc<Table>>;

impl Eval<'_> {
    /// Notes what is known of the locals where the root ends.
    pub(super) fn exits(&mut self, state: &State) {
        let mut exit = match &mut self.recorded {
            Some(recorded) => recorded.exit.take(),
            None => return,
        };
        match &mut exit {
            None => exit = Some(state.clone()),
            Some(known) => {
                self.join_states(known, state, BlockId(u32::MAX), false);
            }
        }
        if let Some(recorded) = &mut self.recorded {
            recorded.exit = exit;
        }
    }

    /// Notes what the tables hold that the values may be.
    pub(super) fn hands_out(&mut self, state: &State, site: Site, values: &[Value]) {
        if self.recorded.is_none() {
            return;
        }
        let mut contents = Contents::default();
        let mut left: Vec<ValueId> = values.iter().flat_map(|value| self.tables_of(value)).collect();
        while let Some(at) = left.pop() {
            if contents.contains_key(&at) {
                continue;
            }
            let mut table = self.table(state, at);
            let length = self.table_length(state, at, table.length);
            if length != table.length {
                Rc::make_mut(&mut table).length = length;
            }
            if table.all_fields().any(|field| state.narrowed.get(field.value.origin).is_some()) {
                let fields = Rc::make_mut(&mut table);
                for field in fields.fields.iter_mut().map(|(_, field)| field).chain(&mut fields.rest) {
                    field.value = self.refined(state, field.value);
                }
            }
            left.extend(table.all_fields().flat_map(|field| self.tables_of(&field.value)));
            contents.insert(at, table);
        }
        if let (Some(recorded), false) = (&mut self.recorded, contents.is_empty()) {
            recorded.handed.insert(site, contents);
        }
    }

    /// The tables that the value may be, of whichever round.
    fn tables_of(&self, value: &Value) -> SmallVec<[ValueId; 2]> {
        let origins = &*self.shared.origins;
        let alternatives = origins.alternatives(origins.present(value.origin));
        alternatives.into_iter().flat_map(|one| self.made(origins.present(one))).collect()
    }
}
