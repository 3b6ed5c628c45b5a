//! A small module, split in every way there is, does the same as the whole. Run by an interpreter.

use std::collections::BTreeMap;

use wasmi::{Caller, Engine, Extern, Instance, Linker, Store};

use super::{FIRST, Halves, LATER, List, halves, list, traced};

/// `pick` calls through a slot and `run` by name; `double` and `treble` use everything that is shared.
const WHOLE: &str = r#"
(module
  (import "page" "tell_0123456789abcdef" (func $tell (param i32)))
  (import "page" "ask" (func $ask (result i32)))
  (type $unary (func (param i32) (result i32)))
  (table 4 4 funcref)
  (table $other 2 externref)
  (memory (export "memory") 1)
  (global $count (mut i32) (i32.const 5))
  (elem (i32.const 1) $double $treble $plain)
  (data (i32.const 16) "\02\00\00\00\03\00\00\00")
  (func $double (type $unary)
    (call $tell (local.get 0))
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (i32.mul (local.get 0) (i32.load (i32.const 16))))
  (func $treble (type $unary)
    (i32.add (call $double (local.get 0)) (call_indirect (type $unary) (local.get 0) (i32.const 3))))
  (func $plain (type $unary)
    (i32.store (i32.const 24) (i32.add (i32.load (i32.const 24)) (call $ask)))
    (i32.add (local.get 0) (table.size $other)))
  (func $unused (type $unary) (call $treble (call $double (local.get 0))))
  (func (export "run") (type $unary)
    (i32.add (call $treble (local.get 0)) (i32.add (global.get $count) (call $plain (i32.const 1)))))
  (func (export "pick") (param i32 i32) (result i32)
    (call_indirect (type $unary) (local.get 0) (local.get 1)))
  (func (export "kept") (result i32) (i32.load (i32.const 24))))
"#;

const FUNCTIONS: [&str; 4] = ["double", "treble", "plain", "unused"];

#[derive(Default)]
struct Page {
    told: Vec<i32>,
    loads: u32,
    first: Option<Instance>,
    later: Vec<u8>,
    names: BTreeMap<String, String>,
}

/// Starts a module with what a page's script would give it.
fn start(bytes: &[u8], page: Page) -> (Store<Page>, Instance) {
    let engine = Engine::default();
    let mut store = Store::new(&engine, page);
    let linker = linker(&engine, &store.data().names);
    let module = wasmi::Module::new(&engine, bytes).unwrap();
    let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
    store.data_mut().first = Some(instance);
    (store, instance)
}

fn linker(engine: &Engine, names: &BTreeMap<String, String>) -> Linker<Page> {
    let name = |old: &str| names.get(old).cloned().unwrap_or(old.to_owned());
    let mut linker = Linker::new(engine);
    linker
        .func_wrap("page", &name("tell_0123456789abcdef"), |mut caller: Caller<Page>, value: i32| {
            caller.data_mut().told.push(value);
        })
        .unwrap();
    linker.func_wrap("page", &name("ask"), || 1).unwrap();
    linker
        .func_wrap(LATER, "ran", |mut caller: Caller<Page>, number: i32| caller.data_mut().told.push(number))
        .unwrap();
    linker.func_wrap(LATER, "load", load).unwrap();
    linker
}

fn load(mut caller: Caller<Page>) {
    caller.data_mut().loads += 1;
    let engine = caller.engine().clone();
    let mut linker = linker(&engine, &caller.data().names);
    let first = caller.data().first.unwrap();
    let lent: Vec<(String, Extern)> =
        first.exports(&caller).map(|export| (export.name().to_owned(), export.into_extern())).collect();
    for (name, item) in lent {
        linker.define(FIRST, &name, item).unwrap();
    }
    let module = wasmi::Module::new(&engine, &caller.data().later).unwrap();
    linker.instantiate_and_start(&mut caller, &module).unwrap();
}

/// What a person would notice: all results, and what was told outward.
fn story(bytes: &[u8], page: Page) -> (Vec<i32>, Vec<i32>, u32) {
    let (mut store, instance) = start(bytes, page);
    let run = instance.get_typed_func::<i32, i32>(&store, "run").unwrap();
    let pick = instance.get_typed_func::<(i32, i32), i32>(&store, "pick").unwrap();
    let kept = instance.get_typed_func::<(), i32>(&store, "kept").unwrap();
    let mut results = vec![kept.call(&mut store, ()).unwrap()];
    for slot in [3, 1, 2] {
        results.push(pick.call(&mut store, (10, slot)).unwrap());
        results.push(run.call(&mut store, slot).unwrap());
    }
    // An empty slot and one that does not exist are errors as before.
    assert!(pick.call(&mut store, (1, 0)).is_err() && pick.call(&mut store, (1, 99)).is_err());
    results.push(kept.call(&mut store, ()).unwrap());
    (results, store.data().told.clone(), store.data().loads)
}

fn halves_with(names: &[&str]) -> Halves {
    let whole = wat::parse_str(WHOLE).unwrap();
    halves(&whole, &whole, &List::read(&names.join("\n"))).unwrap()
}

fn page(halves: &Halves) -> Page {
    Page { later: halves.later.clone(), names: halves.renamed.iter().cloned().collect(), ..Page::default() }
}

#[test]
fn however_it_is_split_it_does_the_same_as_the_whole() {
    let whole = wat::parse_str(WHOLE).unwrap();
    let (results, told, loads) = story(&whole, Page::default());
    assert_eq!(loads, 0);
    for choice in 0..1 << FUNCTIONS.len() {
        let names: Vec<&str> =
            (0..).zip(FUNCTIONS).filter(|(bit, _)| choice >> bit & 1 == 1).map(|(_, name)| name).collect();
        let halves = halves_with(&names);
        let (split_results, split_told, loads) = story(&halves.first, page(&halves));
        assert_eq!((&split_results, &split_told), (&results, &told), "{names:?}");
        assert!(loads <= 1, "{names:?} is loaded {loads} times");
    }
}

#[test]
fn what_comes_later_is_loaded_when_it_is_needed_and_only_once() {
    let halves = halves_with(&["double", "treble"]);
    let (mut store, instance) = start(&halves.first, page(&halves));
    let pick = instance.get_typed_func::<(i32, i32), i32>(&store, "pick").unwrap();
    let plain = pick.call(&mut store, (10, 3)).unwrap();
    assert_eq!((plain, store.data().loads), (12, 0), "nothing later is needed");
    for slot in [1, 2, 1] {
        pick.call(&mut store, (10, slot)).unwrap();
        assert_eq!(store.data().loads, 1);
    }
}

#[test]
fn a_function_that_comes_later_is_not_in_the_first_half() {
    let sizes = |names: &[&str]| (halves_with(names).first.len(), halves_with(names).later.len());
    let (none, all) = (sizes(&[]), sizes(&FUNCTIONS));
    assert!(all.0 < none.0 && all.1 > none.1, "{none:?} {all:?}");
    // Names that fit nothing do nothing, and what JavaScript calls stays.
    assert_eq!(sizes(&["run", "gone"]), none);
}

#[test]
fn a_traced_module_tells_what_ran_and_the_rest_is_the_list() {
    let whole = wat::parse_str(WHOLE).unwrap();
    let (mut store, instance) = start(&traced(&whole).unwrap(), Page::default());
    let pick = instance.get_typed_func::<(i32, i32), i32>(&store, "pick").unwrap();
    pick.call(&mut store, (10, 3)).unwrap();
    let ran = store.data().told.iter().map(|number| number.cast_unsigned()).collect();
    let list = list(&whole, &ran).unwrap().write();
    let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, ["double", "treble", "unused"]);
}

#[test]
fn refuses_code_that_could_look_past_an_empty_slot() {
    for code in [
        "(func (drop (ref.func $a))) (elem declare func $a)",
        "(func (drop (table.get 0 (i32.const 0))))",
        "(func (table.set 0 (i32.const 0) (ref.null func)))",
        "(export \"slots\" (table 0))",
    ] {
        let text = format!("(module (memory 1) (table 2 funcref) (func $a) {code})");
        let bytes = wat::parse_str(text).unwrap();
        assert!(halves(&bytes, &bytes, &List::read("a")).is_err(), "{code}");
    }
}
