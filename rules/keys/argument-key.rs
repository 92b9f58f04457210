use crate::{
    facts::Facts,
    keys::{self, Base},
    rule::Finding,
};

pub(crate) fn check(facts: &Facts) -> Vec<Finding> {
    keys::findings(facts, Base::Argument)
}
