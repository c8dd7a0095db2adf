//! What is said in two places says the same.

use toolgate_tidy::files::read;
use toolgate_tidy::report;

/// The quoted texts after each `key = ` in the text.
fn values(text: &str, key: &str) -> Vec<String> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.match_indices(key).map(|(at, _)| line[at + key.len()..].to_owned()).collect::<Vec<_>>())
        .filter_map(|rest| rest.trim_start().strip_prefix('=').map(|value| value.trim().to_owned()))
        .map(|value| match value.strip_prefix('[') {
            Some(list) => list.split(']').next().unwrap_or_default().to_owned(),
            None => value.split('"').nth(1).unwrap_or_default().to_owned(),
        })
        .collect()
}

#[test]
fn both_runtimes_get_the_same_module_with_the_same_bindings() {
    let (cloud, local) = (read("wrangler.toml"), read("runtime/config.capnp"));
    let mut violations = Vec::new();
    for (ours, theirs) in [("compatibility_date", "compatibilityDate"), ("compatibility_flags", "compatibilityFlags")] {
        let (left, right) = (values(&cloud, ours), values(&local, theirs));
        if left.is_empty() || left != right {
            violations.push(format!("{ours}: wrangler.toml {left:?}, runtime/config.capnp {right:?}"));
        }
    }
    let exports = read("tests/exports.txt");
    let environments = cloud.matches("TOOLGATE_ENV = ").count();
    let classes = values(&local, "className");
    for class in &classes {
        let bound = values(&cloud, "class_name").iter().filter(|name| *name == class).count();
        let migrated = values(&cloud, "new_sqlite_classes").iter().any(|list| list.contains(class.as_str()));
        if bound != environments || !migrated {
            violations.push(format!(
                "{class}: bound {bound} times for {environments} environments in wrangler.toml, migrated: {migrated}"
            ));
        }
        if !exports.lines().any(|line| line == format!("export {class}")) {
            violations.push(format!("{class}: not in tests/exports.txt"));
        }
    }
    if classes.is_empty() {
        violations.push("runtime/config.capnp: no class".to_owned());
    }
    report(
        "wrangler.toml and runtime/config.capnp describe one gateway: a test on one must hold for the other",
        &violations,
    );
}

/// Each service binding, one a line, as `binding -> service`; `key` is what the binding's name is called.
fn service_bindings(text: &str, key: &str) -> Vec<String> {
    let lines =
        text.lines().filter(|line| line.contains("\", service = ") && !line.trim_start().starts_with("sockets"));
    lines.map(|line| format!("{} -> {}", values(line, key).concat(), values(line, "service").concat())).collect()
}

#[test]
fn each_environment_is_bound_to_its_own_services() {
    let (cloud, local) = (read("wrangler.toml"), read("runtime/config.capnp"));
    let (files, bindings): (Vec<String>, Vec<String>) =
        service_bindings(&local, "name").into_iter().partition(|binding| binding.ends_with(" -> assets"));
    let named = cloud.lines().filter_map(|line| line.strip_prefix("[env.")?.strip_suffix(']'));
    let suffixes: Vec<String> = std::iter::once(String::new()).chain(named.map(|name| format!("-{name}"))).collect();
    let mut wanted: Vec<String> =
        suffixes.iter().flat_map(|suffix| bindings.iter().map(move |each| format!("{each}{suffix}"))).collect();
    let mut found = service_bindings(&cloud, "binding");
    wanted.sort();
    found.sort();
    let mut odd =
        if wanted == found && !found.is_empty() { vec![] } else { vec![format!("{found:?}, not {wanted:?}")] };
    // The pages are a folder there and static assets here, which every environment inherits.
    let assets = cloud.split_once("[assets]").map(|(_, rest)| rest.split("\n[").next().unwrap_or_default().to_owned());
    let assets = values(&assets.unwrap_or_default(), "binding").concat();
    if files != [format!("{assets} -> assets")] {
        odd.push(format!("{files:?} serve pages here, {assets:?} there"));
    }
    report("wrangler.toml binds in each environment what runtime/config.capnp binds, within that environment", &odd);
}

#[test]
fn the_names_of_data_on_disk_never_change() {
    let keys = values(&read("runtime/config.capnp"), "uniqueKey");
    let wanted = ["toolgate-org-registry", "toolgate-pool-queue"];
    let missing: Vec<String> =
        wanted.iter().filter(|key| !keys.iter().any(|found| found == **key)).map(|key| (*key).to_owned()).collect();
    report("a unique key names the folder that holds customers' data: another key is an empty gateway", &missing);
}

#[test]
fn tools_have_the_versions_of_their_crates() {
    let (scripts, manifest, lock) = (read("scripts/lib.sh"), read("Cargo.toml"), read("Cargo.lock"));
    let script = |name: &str| {
        scripts.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).unwrap_or_default().to_owned()
    };
    let mut violations = Vec::new();
    for (krate, variable) in [("wasm-bindgen", "wasm_bindgen_version"), ("worker", "worker_build_version")] {
        let version = script(variable);
        let pinned = manifest
            .lines()
            .any(|line| line.starts_with(&format!("{krate} = ")) && line.contains(&format!("\"={version}\"")));
        let locked = lock.contains(&format!("name = \"{krate}\"\nversion = \"{version}\"\n"));
        if !pinned || !locked {
            violations.push(format!("{krate} {version}: in Cargo.toml {pinned}, in Cargo.lock {locked}"));
        }
    }
    report(
        "wasm-bindgen's and worker's tools refuse or break a module made with another version of the crate",
        &violations,
    );
}

#[test]
fn there_is_one_runtime() {
    let count =
        read("package-lock.json").lines().filter(|line| line.trim().ends_with("node_modules/workerd\": {")).count();
    let odd = if count == 1 { vec![] } else { vec![format!("{count} of workerd in package-lock.json")] };
    report("what tests run is what wrangler runs: one workerd", &odd);
}
