//! The laws of choices, over all triples of a few origins of each form.

use super::*;
use crate::ir::ValueId;

/// Origins of each form that a choice can have as part, some of them of an earlier round.
fn pool(origins: &mut Origins) -> Vec<OriginId> {
    let reply = |origins: &mut Origins, at| origins.intern(Origin::Reply(ValueId(at)));
    let (first, second) = (reply(origins, 1), reply(origins, 2));
    let nil = origins.literal(Const::Nil);
    let argv = origins.intern(Origin::Input(Input::Argv));
    let one = origins.number(1.0);
    let element = origins.intern(Origin::Index(argv, one));
    let past = origins.past(first);
    let phi = origins.intern(Origin::Phi(LocalId(0), BlockId(1)));
    let choice = origins.one_of(first, nil, phi).expect("it is below the bound");
    let stale = origins.past(choice);
    let joined = origins.concat(element, past);
    vec![first, second, nil, one, element, past, phi, choice, stale, joined, OriginId::UNKNOWN]
}

#[test]
fn choices_are_a_join() {
    let mut origins = Origins::default();
    let pool = pool(&mut origins);
    let place = origins.intern(Origin::Phi(LocalId(7), BlockId(7)));
    for &a in &pool {
        let alone = origins.one_of(a, a, place);
        assert!(alone == Some(a) || a == OriginId::UNKNOWN || is_choice(&origins, a), "{:?}", origins.get(a));
        for &b in &pool {
            let both = origins.one_of(a, b, place);
            assert_eq!(both, origins.one_of(b, a, place));
            if let Some(both) = both {
                assert_eq!(origins.one_of(both, a, place), Some(both), "a part changes the choice");
            }
            for &c in &pool {
                let left = both.and_then(|both| origins.one_of(both, c, place));
                let right = origins.one_of(b, c, place).and_then(|both| origins.one_of(a, both, place));
                assert_eq!(left, right);
            }
        }
    }
}

fn is_choice(origins: &Origins, id: OriginId) -> bool {
    matches!(origins.get(id), Origin::OneOf(..))
}

#[test]
fn only_what_is_one_value_is_single() {
    let mut origins = Origins::default();
    let pool = pool(&mut origins);
    let [first, .., choice, stale, joined, unknown] = pool[..] else { panic!("the pool has eleven origins") };
    assert!(origins.is_single(first) && origins.is_single(choice));
    assert!(!origins.is_single(stale) && !origins.is_single(joined) && !origins.is_single(unknown));
    let length = origins.intern(Origin::Length(stale));
    assert!(!origins.is_single(length));
}

#[test]
fn the_past_of_the_past_is_the_past() {
    let mut origins = Origins::default();
    for id in pool(&mut origins) {
        let past = origins.past(id);
        assert_eq!(origins.past(past), past);
        let site = Site::Block(BlockId(1));
        assert!(!origins.mentions(past, site), "{:?}", origins.get(past));
    }
}
