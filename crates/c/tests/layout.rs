//! Records lie in memory as gcc lays them out: random declarations, for both data models.
#![allow(clippy::unwrap_used, clippy::panic)]

use c::{DataModel, Options};
use oorandom::Rand32;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use system::program::{Field, Record, RecordId, Type, Types};
use testing::Outcome;

const RECORDS: usize = 150;

/// A random record: what is declared, and which of its fields can be asked for.
struct Generated {
    text: String,
    /// Names, and whether they are bit-fields.
    fields: Vec<(String, bool)>,
}

struct Generator {
    random: Rand32,
    next_field: usize,
}

impl Generator {
    fn one_in(&mut self, chances: u32) -> bool {
        self.random.rand_range(0..chances) == 0
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.random.rand_range(0..words.len() as u32) as usize]
    }

    fn field_name(&mut self) -> String {
        self.next_field += 1;
        format!("f{}", self.next_field)
    }

    fn record(&mut self, number: usize) -> Generated {
        let mut generated = Generated {
            text: String::new(),
            fields: Vec::new(),
        };
        let pack = self.one_in(8).then(|| self.pick(&["1", "2", "4", "8"]));
        if let Some(pack) = pack {
            let _ = writeln!(generated.text, "#pragma pack(push, {pack})");
        }
        let word = if self.one_in(5) { "union" } else { "struct" };
        let _ = writeln!(generated.text, "typedef {word} {{");
        for _ in 0..self.random.rand_range(0..7) {
            self.field(number, &mut generated, 0);
        }
        let attribute = match self.random.rand_range(0..8) {
            0 => " __attribute__((packed))",
            1 => " __attribute__((aligned(8)))",
            2 => " __attribute__((packed, aligned(4)))",
            _ => "",
        };
        let _ = writeln!(generated.text, "}}{attribute} r{number};");
        if pack.is_some() {
            generated.text.push_str("#pragma pack(pop)\n");
        }
        generated
    }

    fn field(&mut self, number: usize, generated: &mut Generated, depth: u32) {
        match self.random.rand_range(0..12) {
            0..=3 => self.bit_field(generated),
            4 if number > 0 => {
                let inner = self.random.rand_range(0..number as u32);
                let name = self.field_name();
                let _ = writeln!(generated.text, "  r{inner} {name};");
                generated.fields.push((name, false));
            }
            5 if depth < 2 => {
                let word = self.pick(&["struct", "union"]);
                let _ = writeln!(generated.text, "  {word} {{");
                for _ in 0..self.random.rand_range(1..4) {
                    self.field(number, generated, depth + 1);
                }
                generated.text.push_str("  };\n");
            }
            _ => {
                let types = [
                    "char",
                    "short",
                    "int",
                    "long",
                    "long long",
                    "unsigned char",
                    "_Bool",
                    "float",
                    "double",
                    "long double",
                    "char *",
                    "enum { E_",
                    "aligned_int",
                    "loose_long",
                    "unsigned long long",
                ];
                let mut word = self.pick(&types).to_owned();
                let name = self.field_name();
                if word.starts_with("enum") {
                    let _ = write!(word, "{name} }}");
                }
                let array = if self.one_in(4) && word != "aligned_int" {
                    "[3]"
                } else {
                    ""
                };
                let attribute = match self.random.rand_range(0..10) {
                    0 => " __attribute__((packed))",
                    1 => " __attribute__((aligned(8)))",
                    2 => " __attribute__((aligned(2)))",
                    _ => "",
                };
                let _ = writeln!(generated.text, "  {word} {name}{array}{attribute};");
                generated.fields.push((name, false));
            }
        }
    }

    fn bit_field(&mut self, generated: &mut Generated) {
        let (word, widest) = match self.random.rand_range(0..8) {
            0 => ("char", 8),
            1 => ("unsigned short", 16),
            2 => ("long long", 64),
            3 => ("unsigned long", 32),
            4 => ("_Bool", 1),
            _ => ("unsigned", 32),
        };
        match self.random.rand_range(0..8) {
            0 => {
                let _ = writeln!(generated.text, "  {word} : 0;");
            }
            1 => {
                let width = self.random.rand_range(1..widest + 1);
                let _ = writeln!(generated.text, "  {word} : {width};");
            }
            _ => {
                let width = self.random.rand_range(1..widest + 1);
                let name = self.field_name();
                let attribute = match self.random.rand_range(0..12) {
                    0 => " __attribute__((packed))",
                    1 => " __attribute__((aligned(4)))",
                    _ => "",
                };
                let _ = writeln!(generated.text, "  {word} {name} : {width}{attribute};");
                generated.fields.push((name, true));
            }
        }
    }
}

const PRELUDE: &str = "typedef int aligned_int __attribute__((aligned(8)));
typedef long loose_long __attribute__((aligned(2)));
";

/// The program that asks gcc.
fn question(records: &[Generated]) -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stddef.h>\n#include <string.h>\n");
    text.push_str(PRELUDE);
    for record in records {
        text.push_str(&record.text);
    }
    text.push_str("int main(void) {\n");
    for (number, record) in records.iter().enumerate() {
        let ask = format!("(int)sizeof(r{number}), (int)_Alignof(r{number})");
        let _ = writeln!(text, "printf(\"r{number} %d %d\\n\", {ask});");
        for (name, is_bits) in &record.fields {
            match is_bits {
                false => {
                    let _ = writeln!(text, "printf(\"{name} %d\\n\", (int)offsetof(r{number}, {name}));");
                }
                true => {
                    let _ = writeln!(
                        text,
                        "{{ r{number} v; memset(&v, 0, sizeof v); v.{name} = -1; printf(\"{name} \");"
                    );
                    let each = "printf(\"%02x\", ((unsigned char *)&v)[i]); printf(\"\\n\"); }";
                    let _ = writeln!(text, "for (int i = 0; i < (int)sizeof v; i++) {each}");
                }
            }
        }
    }
    text.push_str("return 0; }\n");
    text
}

fn gcc(folder: &Path, text: &str, option: &str) -> Result<String, String> {
    let source = folder.join("layout.c");
    let program = folder.join("layout");
    std::fs::write(&source, text).unwrap();
    let compiled = Command::new("gcc")
        .args([option, "-w", "-o"])
        .arg(&program)
        .arg(&source)
        .output()
        .unwrap();
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let output = Command::new(&program).output().unwrap();
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The same, as we lay them out.
fn answer(records: &[Generated], model: DataModel) -> String {
    let mut text = String::from(PRELUDE);
    for record in records {
        text.push_str(&record.text);
    }
    for number in 0..records.len() {
        let _ = writeln!(text, "r{number} v{number};");
    }
    text.push_str("void *p;\nint main(void) {\n");
    for number in 0..records.len() {
        let _ = writeln!(text, "p = &v{number};");
    }
    text.push_str("return 0; }\n");
    let sources = c::preprocess::preprocessed("layout.i", text, None);
    let unit = match c::read(&sources, &Options::new(model)) {
        Ok(unit) => unit,
        Err(rejected) => panic!("{}", rejected.diagnostics[0].render(&rejected.sources, false)),
    };
    assert_eq!(unit.program.malformed(), []);
    let types = &unit.program.types;
    let mut answer = String::new();
    for (number, generated) in records.iter().enumerate() {
        let name = format!("v{number}");
        let variable = unit
            .program
            .variables
            .iter()
            .find(|variable| variable.name == name)
            .unwrap();
        let record = record_of(types, variable.type_id).unwrap();
        let (size, alignment) = (types[record].size.unwrap(), types[record].alignment);
        let _ = writeln!(answer, "r{number} {size} {alignment}");
        for (name, _) in &generated.fields {
            let (offset, field) = find(types, record, name).unwrap();
            let shown = match field.bits {
                None => offset.to_string(),
                Some(bits) => {
                    let mut bytes = vec![0u8; size as usize];
                    for bit in bits.first..bits.first + bits.width {
                        bytes[offset as usize + bit as usize / 8] |= 1 << (bit % 8);
                    }
                    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
                }
            };
            let _ = writeln!(answer, "{name} {shown}");
        }
    }
    answer
}

fn record_of(types: &Types, id: system::program::TypeId) -> Option<RecordId> {
    match &types[id] {
        Type::Record(record) => Some(*record),
        _ => None,
    }
}

/// Also in records without names.
fn find<'t>(types: &'t Types, record: RecordId, name: &str) -> Option<(u64, &'t Field)> {
    let record: &Record = &types[record];
    record.fields.iter().find_map(|field| {
        if field.name == name {
            return Some((field.offset, field));
        }
        let inner = record_of(types, field.type_id).filter(|_| field.name.is_empty())?;
        let (offset, found) = find(types, inner, name)?;
        Some((field.offset + offset, found))
    })
}

/// Its headers are missing, or what is linked.
fn is_about_the_library(error: &str) -> bool {
    error.contains("No such file or directory") || !error.contains("layout.c")
}

fn records_lie_as_gcc_has_them() -> Outcome {
    testing::tool("gcc", "--version")?;
    let folder = std::env::temp_dir().join(format!("cubist-layout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for seed in 0..4 {
        let mut generator = Generator {
            random: Rand32::new(seed),
            next_field: 0,
        };
        let records: Vec<Generated> = (0..RECORDS).map(|number| generator.record(number)).collect();
        for model in DataModel::ALL {
            let expected = match gcc(&folder, &question(&records), model.gcc_option()) {
                Ok(expected) => expected,
                // Without the libraries for 32 bits.
                Err(error) if model == DataModel::Ilp32 && is_about_the_library(&error) => continue,
                Err(error) => panic!("{error}"),
            };
            compare(&records, &expected, &answer(&records, model), seed, model);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    Ok(())
}

fn compare(records: &[Generated], expected: &str, found: &str, seed: u64, model: DataModel) {
    let mut number = 0;
    for (theirs, ours) in expected.lines().zip(found.lines()) {
        if let Some(rest) = theirs.strip_prefix('r') {
            number = rest.split(' ').next().unwrap().parse().unwrap();
        }
        let text = &records[number].text;
        assert_eq!(ours, theirs, "seed {seed}, {model:?}, r{number}:\n{text}");
    }
    assert_eq!(expected.lines().count(), found.lines().count());
}

testing::tests!(records_lie_as_gcc_has_them);
