use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn index(entries: &[Value]) -> SessionIndex {
    let mut index = SessionIndex::default();
    index.feed(format!("{}\n", json!({"type": "session", "id": "s", "cwd": "/p"})).as_bytes());
    for entry in entries {
        index.feed(format!("{entry}\n").as_bytes());
    }
    index
}

fn said(role: &str, id: &str, parent: Option<&str>) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "message": {"role": role, "content": "x"}})
}

fn user(id: &str, parent: Option<&str>) -> Value {
    said("user", id, parent)
}

fn label(id: &str, parent: Option<&str>) -> Value {
    json!({"type": "label", "id": id, "parentId": parent})
}

#[test]
fn a_branch_is_listed_at_the_place_where_it_leaves_the_active_one() {
    let entries = [
        user("a", None),
        said("assistant", "b", Some("a")),
        user("c", Some("b")),
        said("assistant", "d", Some("c")),
        label("e", Some("d")),
        user("f", Some("b")),
    ];
    let before = index(&entries[..5]);
    assert_eq!(before.other_branches(&before.active()), []);
    let index = index(&entries);
    assert_eq!(index.active(), [0, 1, 5]);
    let expected = OtherBranch { shared: 2, leaf: 4, tip: 3, first_message: 2, messages: 2 };
    assert_eq!(index.other_branches(&index.active()), [expected], "with the label at its end");
    assert_eq!(index.branch_to(4), [0, 1, 2, 3, 4]);
    let back = OtherBranch { shared: 2, leaf: 5, tip: 5, first_message: 5, messages: 1 };
    assert_eq!(index.other_branches(&index.branch_to(4)), [back]);
    assert_eq!((index.leaf_after(2), index.leaf_after(0)), (4, 5), "the newest branch with an entry");
}

#[test]
fn what_leaves_no_message_behind_is_no_branch() {
    let model = json!({"type": "model_change", "id": "m", "parentId": "a", "modelId": "x"});
    let name = json!({"type": "session_info", "id": "n", "parentId": "m", "name": "x"});
    let result = said("toolResult", "r", Some("a"));
    let index = index(&[user("a", None), model, name, result, label("l", Some("a")), user("b", Some("a"))]);
    assert_eq!(index.active(), [0, 5]);
    assert_eq!(index.other_branches(&index.active()), []);
}

#[test]
fn a_label_on_an_older_entry_leaves_what_followed_on_another_branch() {
    let index = index(&[user("a", None), user("b", Some("a")), label("l", Some("a"))]);
    assert_eq!(index.active(), [0, 2]);
    let expected = OtherBranch { shared: 1, leaf: 1, tip: 1, first_message: 1, messages: 1 };
    assert_eq!(index.other_branches(&index.active()), [expected]);
}

#[test]
fn a_second_root_leaves_the_first_conversation_on_another_branch() {
    let index = index(&[user("a", None), user("b", Some("a")), user("c", None)]);
    let expected = OtherBranch { shared: 0, leaf: 1, tip: 1, first_message: 0, messages: 2 };
    assert_eq!(index.other_branches(&index.active()), [expected]);
}

#[test]
fn hostile_parents_hide_no_message() {
    let cycle = [user("a", Some("c")), user("b", Some("a")), user("c", Some("b")), user("a", Some("b"))];
    let lost = [user("a", None), user("b", Some("lost")), user("b", Some("a")), user("b", Some("b"))];
    let own = [user("a", Some("a")), user("a", Some("a")), user("b", None), user("", Some("a"))];
    for entries in [cycle, lost, own] {
        let index = index(&entries);
        let mut seen: BTreeSet<u32> = index.active().into_iter().collect();
        for branch in index.other_branches(&index.active()) {
            seen.extend(index.ancestors(branch.leaf));
        }
        assert_eq!(seen.len(), 4, "{entries:?}");
    }
}

#[test]
fn thousands_of_branches_are_listed_at_linear_cost() {
    let mut entries = vec![user("root", None)];
    for number in 0..20_000 {
        // Long branches and short ones: a walk from each end would take a hundred million steps.
        let parent = if number % 2 == 0 { "root".to_owned() } else { format!("e{}", number - 1) };
        let parent = if number > 10_000 { format!("e{}", 10_000 - number % 7) } else { parent };
        entries.push(user(&format!("e{number}"), Some(&parent)));
    }
    let index = index(&entries);
    let branches = index.other_branches(&index.active());
    assert_eq!(branches.len(), index.tree.tips.len() - 1);
    assert!(branches.len() > 14_000, "{}", branches.len());
}

/// The branches as they are defined, found by walking from every entry.
fn naive_branches(index: &SessionIndex, path: &[u32]) -> Vec<OtherBranch> {
    let numbers = || 0..u32::try_from(index.entries().len()).unwrap();
    let is_said = |number: u32| index.entries()[number as usize].kind.is_said();
    let said_in = |number: u32| index.ancestors(number).into_iter().filter(|number| is_said(*number));
    let has_id = |number: u32| !index.tree.without_id.contains(&number);
    let is_last = |tip: u32| {
        !numbers().any(|other| {
            has_id(other)
                && other != tip
                && said_in(other).any(|at| at == tip && said_in(other).next_back() != Some(tip))
        })
    };
    let mut branches = Vec::new();
    for tip in numbers().filter(|tip| has_id(*tip) && is_said(*tip) && !path.contains(tip) && is_last(*tip)) {
        let shared =
            index.ancestors(tip).iter().filter_map(|number| path.iter().position(|at| at == number)).max();
        let own: Vec<u32> = said_in(tip).filter(|number| !path.contains(number)).collect();
        let is_user =
            |number: &&u32| index.entries()[**number as usize].kind == EntryKind::Message(Role::User);
        branches.push(OtherBranch {
            shared: shared.map_or(0, |position| position + 1),
            leaf: numbers()
                .filter(|number| has_id(*number) && said_in(*number).next_back() == Some(tip))
                .max()
                .unwrap(),
            tip,
            first_message: *own.iter().find(is_user).unwrap_or(&own[0]),
            messages: own.len(),
        });
    }
    branches.sort_by_key(|branch| (branch.shared, std::cmp::Reverse(branch.tip)));
    branches
}

fn any_entries() -> impl Strategy<Value = Vec<Value>> {
    let id = || prop_oneof![8 => (0..12_u8).prop_map(|id| json!(format!("i{id}"))), 1 => Just(Value::Null), 1 => Just(json!(7))];
    let kind = prop_oneof![3 => Just("user"), 3 => Just("assistant"), 1 => Just("toolResult"), 1 => Just("bashExecution"), 1 => Just("label")];
    let entry = (id(), id(), kind).prop_map(|(id, parent, kind)| match kind {
        "label" => json!({"type": "label", "id": id, "parentId": parent}),
        role => json!({"type": "message", "id": id, "parentId": parent, "message": {"role": role, "content": "x"}}),
    });
    prop::collection::vec(entry, 0..24)
}

proptest! {
    #[test]
    fn random_trees_have_the_branches_of_a_naive_search(
        entries in any_entries(),
        end in any::<prop::sample::Index>(),
    ) {
        let index = index(&entries);
        prop_assert_eq!(index.other_branches(&index.active()), naive_branches(&index, &index.active()));
        if !index.entries().is_empty() {
            let end = u32::try_from(end.index(index.entries().len())).unwrap();
            let path = index.branch_to(end);
            prop_assert_eq!(index.other_branches(&path), naive_branches(&index, &path));
            prop_assert!(index.branch_to(index.leaf_after(end)).contains(&end));
        }
    }

    #[test]
    fn all_branches_together_contain_every_message(entries in any_entries()) {
        let index = index(&entries);
        let mut seen: BTreeSet<u32> = index.active().into_iter().collect();
        for branch in index.other_branches(&index.active()) {
            seen.extend(index.branch_to(branch.leaf));
        }
        for (number, entry) in (0..).zip(index.entries()).filter(|(_, entry)| entry.kind.is_said()) {
            prop_assert!(seen.contains(&number), "{} of {:?}", number, entry);
        }
    }

    #[test]
    fn the_branches_change_only_with_a_detour(entries in any_entries(), cut in any::<prop::sample::Index>()) {
        let before = index(&entries[..cut.index(entries.len() + 1)]);
        let after = index(&entries);
        if before.detours() == after.detours() {
            let places = |index: &SessionIndex| {
                index.other_branches(&index.active()).into_iter().map(|branch| (branch.leaf, branch.messages)).collect::<Vec<_>>()
            };
            prop_assert_eq!(places(&before), places(&after));
        }
    }
}
