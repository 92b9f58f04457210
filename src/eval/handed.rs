//! Tables where they leave the script: to the client, to `cjson.encode`.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{
    Eval,
    state::{State, Table},
};
use crate::{
    ir::ValueId,
    origin::Site,
    value::Value,
};

/// Tables by the instruction that built them.
pub type Contents = FxHashMap<ValueId, Rc<Table>>;

impl Eval<'_> {
    /// Notes what the tables hold that the values may be.
    pub(super) fn hands_out(&mut self, state: &State, site: Site, values: &[Value]) {
        if self.recorded.is_none() {
            return;
        }
        let mut contents = Contents::default();
        let of = |value: &Value| self.made(self.shared.origins.present(value.origin));
        let mut left: Vec<ValueId> = values.iter().flat_map(of).collect();
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
            left.extend(table.all_fields().flat_map(|field| of(&field.value)));
            contents.insert(at, table);
        }
        if let (Some(recorded), false) = (&mut self.recorded, contents.is_empty()) {
            recorded.handed.insert(site, contents);
        }
    }
}
