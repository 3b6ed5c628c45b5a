//! Checks the dependencies between crates.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::rules::{DependencyRule, Reach};
use crate::cargo::{items, workspace_packages};

pub(super) fn breaches(metadata: &Value, rules: &[DependencyRule]) -> Vec<String> {
    let ours: BTreeSet<&str> = workspace_packages(metadata).filter_map(name).collect();
    let ruled: BTreeSet<&str> = rules.iter().map(|rule| rule.package).collect();
    let mut breaches: Vec<String> = ours
        .symmetric_difference(&ruled)
        .map(|package| match ours.contains(package) {
            true => format!("{package} has no rule: add one that lists its dependencies"),
            false => format!("{package} has a rule but is not in the workspace"),
        })
        .collect();
    for rule in rules {
        let Some(package) = workspace_packages(metadata).find(|package| name(package) == Some(rule.package))
        else {
            continue;
        };
        let direct = direct(package);
        for other in direct.iter().filter(|other| ours.contains(*other) && !rule.may_use.contains(other)) {
            breaches
                .push(format!("{} depends on {other}, against the direction of the crates", rule.package));
        }
        let used = match rule.reach {
            Reach::Direct => direct,
            Reach::Transitive => transitive(metadata, package),
        };
        for other in used.iter().filter(|other| rule.never.contains(other)) {
            breaches.push(format!("{} depends on {other}, which is forbidden", rule.package));
        }
    }
    breaches
}

fn name(package: &Value) -> Option<&str> {
    package["name"].as_str()
}

/// The direct dependencies, except those for tests.
fn direct(package: &Value) -> BTreeSet<&str> {
    items(&package["dependencies"])
        .filter(|dependency| dependency["kind"] != "dev")
        .filter_map(name)
        .collect()
}

/// All packages that are linked into a package with its default features. Cargo's metadata has the features of the whole
/// workspace, so optional dependencies of our crates are left out: only the crate that enables them links them. It also
/// lists optional dependencies of other crates that no enabled feature turns on.
fn transitive<'a>(metadata: &'a Value, package: &'a Value) -> BTreeSet<&'a str> {
    let packages: HashMap<&str, &Value> =
        items(&metadata["packages"]).filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let names: HashMap<&str, &str> =
        packages.iter().filter_map(|(id, package)| Some((*id, name(package)?))).collect();
    let nodes: HashMap<&str, &Value> =
        items(&metadata["resolve"]["nodes"]).filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let optional: BTreeSet<(&str, &str)> = workspace_packages(metadata)
        .flat_map(|package| {
            let optional =
                items(&package["dependencies"]).filter(|dependency| dependency["optional"] == true);
            optional.filter_map(move |dependency| Some((package["id"].as_str()?, name(dependency)?)))
        })
        .collect();
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = package["id"].as_str().into_iter().collect();
    while let Some((owner, node)) = open.pop().and_then(|id| Some((id, nodes.get(id)?))) {
        for dependency in items(&node["deps"]).filter(|dependency| is_linked(dependency)) {
            if dependency["pkg"]
                .as_str()
                .and_then(|id| names.get(id))
                .is_some_and(|used| optional.contains(&(owner, *used)))
            {
                continue;
            }
            if packages.get(owner).is_some_and(|owner| is_turned_off(owner, node, dependency)) {
                continue;
            }
            if let Some(id) = dependency["pkg"].as_str().filter(|id| seen.insert(*id)) {
                open.push(id);
            }
        }
    }
    seen.into_iter().filter_map(|id| names.get(id).copied()).collect()
}

/// Whether a dependency is optional and no enabled feature of its owner turns it on. A feature such as `chrono?/std` only
/// applies if another one does.
fn is_turned_off(owner: &Value, node: &Value, dependency: &Value) -> bool {
    let Some(library) = dependency["name"].as_str().filter(|name| !name.is_empty()) else { return false };
    let declared_name = |declared: &Value| {
        let name = declared["rename"].as_str().or_else(|| declared["name"].as_str());
        name.map(|name| name.replace('-', "_"))
    };
    let mut declared = items(&owner["dependencies"])
        .filter(|declared| declared_name(declared).as_deref() == Some(library))
        .peekable();
    if declared.peek().is_none() || !declared.all(|declared| declared["optional"] == true) {
        return false;
    }
    let turns_on = |feature: &str| {
        let dependency = feature.strip_prefix("dep:").unwrap_or(feature);
        let dependency = dependency.split('/').next().unwrap_or_default();
        dependency.replace('-', "_") == library
    };
    let enabled = items(&node["features"]).filter_map(Value::as_str);
    let mut implied = enabled.flat_map(|feature| items(&owner["features"][feature]));
    !implied.any(|feature| feature.as_str().is_some_and(turns_on))
}

/// Whether a dependency is linked: those of build scripts and tests are not.
fn is_linked(dependency: &Value) -> bool {
    items(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RULES: [DependencyRule; 2] = [
        DependencyRule { package: "core", may_use: &[], never: &["tokio"], reach: Reach::Transitive },
        DependencyRule { package: "server", may_use: &["core"], never: &["leptos"], reach: Reach::Direct },
    ];

    /// A workspace of `core` and `server`: each line is `package -> dependency` or `package -kind-> dependency`.
    fn breaches_of(lines: &[&str]) -> Vec<String> {
        let edges: Vec<(&str, Option<&str>, &str)> = lines
            .iter()
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let kind = words[1].trim_matches(['-', '>']);
                (words[0], (!kind.is_empty()).then_some(kind), words[2])
            })
            .collect();
        let of = |package: &str| edges.iter().filter(move |edge| edge.0 == package).collect::<Vec<_>>();
        let every: BTreeSet<&str> =
            edges.iter().flat_map(|edge| [edge.0, edge.2]).chain(["core", "server"]).collect();
        let packages: Vec<Value> = every
            .iter()
            .map(|package| {
                let dependencies: Vec<Value> =
                    of(package).iter().map(|edge| json!({ "name": edge.2, "kind": edge.1 })).collect();
                json!({ "id": package, "name": package, "dependencies": dependencies })
            })
            .collect();
        let nodes: Vec<Value> = every
            .iter()
            .map(|package| {
                let deps: Vec<Value> = of(package)
                    .iter()
                    .map(|edge| json!({ "pkg": edge.2, "dep_kinds": [{ "kind": edge.1 }] }))
                    .collect();
                json!({ "id": package, "deps": deps })
            })
            .collect();
        let members = ["core", "server"];
        let metadata =
            json!({ "packages": packages, "workspace_members": members, "resolve": { "nodes": nodes } });
        breaches(&metadata, &RULES)
    }

    #[test]
    fn dependencies_that_point_one_way_are_accepted() {
        assert!(breaches_of(&["server -> core", "server -> tokio", "core -> serde"]).is_empty());
    }

    #[test]
    fn a_dependency_in_the_other_direction_is_reported() {
        let breaches = breaches_of(&["server -> core", "core -> server"]);
        assert!(breaches[0].contains("core depends on server"), "{breaches:?}");
    }

    #[test]
    fn a_forbidden_transitive_dependency_is_reported() {
        let breaches = breaches_of(&["core -> helper", "helper -> tokio"]);
        assert_eq!(breaches, ["core depends on tokio, which is forbidden"]);
        assert_eq!(breaches_of(&["server -> leptos"]), ["server depends on leptos, which is forbidden"]);
    }

    #[test]
    fn dependencies_of_tests_and_build_scripts_are_accepted() {
        assert!(breaches_of(&["core -dev-> tokio", "core -> serde", "serde -build-> tokio"]).is_empty());
    }

    #[test]
    fn every_crate_needs_a_rule() {
        let metadata = json!({
            "packages": [{ "id": "new", "name": "new", "dependencies": [] }],
            "workspace_members": ["new"],
        });
        let breaches = breaches(&metadata, &[]);
        assert_eq!(breaches, ["new has no rule: add one that lists its dependencies"]);
    }
}
