// Every sentence of docs/trust.md and every promise of SECURITY.md has a test, and every test named there exists.
// Usage: promises.mjs CTEST BUILD_FOLDER
//
// A list item ends with the names of its tests in parentheses: (`name`, `other`). Tests that only the sanitizer build
// has are read from the files that add them.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const read = (path) => readFileSync(join(root, path), "utf8");
const [ctest, build] = process.argv.slice(2);

const tests = new Set();
const listed = execFileSync(ctest, ["--test-dir", build, "-N"], { encoding: "utf8" });
for (const [, name] of listed.matchAll(/Test +#\d+: (\S+)/g)) tests.add(name);
for (const path of ["fuzz/CMakeLists.txt", "tests/faults/CMakeLists.txt"])
    for (const [, name] of read(path).matchAll(/(?:limber_add_fuzzer\(|add_test\(NAME )(\w+)/g)) tests.add(name);
for (const path of ["tests/cli/CMakeLists.txt", "tests/pipeline/CMakeLists.txt"])
    for (const [, name] of read(path).matchAll(/limber_endurance_tests\((\w+)/g)) tests.add(name);

// The items of a section's lists, one line each.
function items(text) {
    const found = [];
    for (const line of text.split("\n"))
        if (line.startsWith("- ")) found.push(line);
        else if (line.startsWith("  ") && found.length) found[found.length - 1] += " " + line.trim();
    return found;
}

// Parentheses that begin with a name.
function namesIn(item) {
    const names = [];
    for (const [, inside] of item.matchAll(/\((`\w+`[^()]*)\)/g))
        for (const [, name] of inside.matchAll(/`(\w+)`/g)) names.push(name);
    return names;
}

const security = read("SECURITY.md");
const promised = security.slice(security.indexOf("## What is promised"), security.indexOf("## What is not promised"));
const faults = [];
for (const [file, text] of [
    ["docs/trust.md", read("docs/trust.md")],
    ["SECURITY.md", promised],
])
    for (const item of items(text)) {
        const names = namesIn(item);
        if (!names.length) faults.push(`${file}: no test is named: ${item}`);
        for (const name of names) if (!tests.has(name)) faults.push(`${file}: there is no test '${name}': ${item}`);
    }
if (tests.size < 50) faults.push(`only ${tests.size} tests were found`);
for (const fault of faults) console.error(fault);
if (faults.length) process.exit(1);
console.log(`${tests.size} tests; every promise has one`);
