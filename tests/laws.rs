//! The laws that a fixpoint rests on: joins are least upper bounds, widening ends, arithmetic stays sound.

use evalint::value::{Interval, Kinds};
use proptest::prelude::*;

/// Pairs are few enough (16 million) to try all.
#[test]
fn kinds_are_a_lattice() {
    let all: Vec<Kinds> = Kinds::all().collect();
    for &a in &all {
        assert_eq!(a.or(a), a);
        assert_eq!(a.and(a), a);
        assert!(Kinds::NEVER.within(a) && a.within(Kinds::ANY));
        for &b in &all {
            let (join, meet) = (a.or(b), a.and(b));
            let lawful = join == b.or(a)
                && meet == b.and(a)
                && a.within(join)
                && meet.within(a)
                && a.or(meet) == a
                && a.and(join) == a
                && a.within(b) == (join == b)
                && a.may_be(b) != meet.is_never()
                && a.without(b).or(meet) == a
                && !a.without(b).may_be(b);
            assert!(lawful, "{a} and {b}");
        }
    }
}

/// The text of a set of kinds names it: marks and the reply table are written by hand from it.
#[test]
fn kinds_read_back_what_they_print() {
    for kinds in Kinds::all() {
        let text = kinds.to_string();
        let read = text.split('|').map(|name| Kinds::named(name).unwrap_or_else(|| panic!("{name} of {text}")));
        assert_eq!(read.fold(Kinds::NEVER, Kinds::or), kinds);
    }
}

fn kinds() -> impl Strategy<Value = Kinds> {
    let all: Vec<Kinds> = Kinds::all().collect();
    proptest::sample::select(all)
}

/// Ends near zero, where arithmetic happens, near the infinities, where it must stop, and anywhere.
fn end() -> impl Strategy<Value = i32> {
    prop_oneof![-9..9, i32::MIN..i32::MIN + 3, i32::MAX - 2..=i32::MAX, any::<i32>()]
}

fn interval() -> impl Strategy<Value = Interval> {
    (end(), end()).prop_map(|(a, b)| Interval::new(a.min(b), a.max(b)))
}

fn holds(interval: Interval, number: i64) -> bool {
    (!interval.has_lower() || i64::from(interval.low) <= number)
        && (!interval.has_upper() || number <= i64::from(interval.high))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn joins_of_kinds_associate(a in kinds(), b in kinds(), c in kinds()) {
        prop_assert_eq!(a.or(b).or(c), a.or(b.or(c)));
        prop_assert_eq!(a.and(b).and(c), a.and(b.and(c)));
        prop_assert_eq!(a.and(b.or(c)), a.and(b).or(a.and(c)));
    }

    #[test]
    fn intervals_are_a_lattice(a in interval(), b in interval(), c in interval()) {
        prop_assert_eq!(a.join(b), b.join(a));
        prop_assert_eq!(a.join(a), a);
        prop_assert_eq!(a.join(b).join(c), a.join(b.join(c)));
        prop_assert_eq!(a.join(Interval::ALL), Interval::ALL);
        prop_assert_eq!(a.meet(b), b.meet(a));
        prop_assert_eq!(a.meet(a), Some(a));
        prop_assert_eq!(a.meet(a.join(b)), Some(a));
        if let Some(meet) = a.meet(b) {
            prop_assert_eq!(a.join(meet), a);
        }
    }

    /// However the states of a loop head grow, each end is widened at most once.
    #[test]
    fn widening_ends(steps in proptest::collection::vec(interval(), 1..20)) {
        let mut state = steps[0];
        let mut changes = 0;
        for step in steps {
            let next = state.join(step).widen(state);
            prop_assert_eq!(next.join(state), next);
            prop_assert_eq!(next.join(step), next);
            changes += u32::from(next != state);
            state = next;
        }
        prop_assert!(changes <= 2);
    }

    #[test]
    fn sums_and_negations_are_sound(a in interval(), b in interval(), x in any::<i32>(), y in any::<i32>()) {
        let (x, y) = (i64::from(x.clamp(a.low, a.high)), i64::from(y.clamp(b.low, b.high)));
        prop_assert!(holds(a.plus(b), x + y), "{x} + {y} is not in {:?}", a.plus(b));
        prop_assert!(holds(a.negate(), -x), "-{x} is not in {:?}", a.negate());
    }
}
