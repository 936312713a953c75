//! The printed tables, and the page docs/results.md.

use crate::table::Table;
use crate::{cmurphi, das, files, growth, indexed, load, magic, peers, programs, rumur};

pub(crate) fn table_text(table: &Table) -> String {
    match table.bench {
        "rumur" => rumur::markdown(table),
        "cmurphi" => cmurphi::markdown(table),
        "das" => das::markdown(table),
        "indexed" => indexed::markdown(table),
        "peers" => peers::markdown(table),
        "growth" => growth::markdown(table),
        "files" => files::markdown(table),
        "c" => programs::markdown(table),
        "load" => load::markdown(table),
        "magic" => magic::markdown(table),
        _ => String::new(),
    }
}

/// The page docs/results.md.
pub(crate) fn page(tables: &[Table]) -> String {
    let mut text =
        "# Results\n\n`make bench` writes this page. Figures in one row come from the same minutes of the same \
                    machine: compare within\na row, not between pages.\n"
            .to_owned();
    for table in tables {
        text.push_str(match table.bench {
            "rumur" => RUMUR,
            "cmurphi" => CMURPHI,
            "indexed" => INDEXED,
            "peers" => PEERS,
            "growth" => GROWTH,
            "files" => FILES,
            "c" => PROGRAMS,
            "magic" => MAGIC,
            _ => DAS,
        });
        text.push_str(&table_text(table));
    }
    text
}

const RUMUR: &str = "
## Exploration, against Rumur

[Rumur](https://github.com/Smattr/rumur) generates a checker in C for one model, which is compiled with `-O3
-march=native`; generating and compiling are not counted. Both search all states on one thread, without symmetry
reduction and without looking for deadlocks, and keep what they need for a counterexample. A row is met only where
both count the same states and rules fired.

- *states/s*: per second of processor time, the best of three runs; *ratio*: ours through Rumur's (promised: at
  least 0.33).
- *bytes/state*: peak resident memory of the whole process through the number of states; *ratio*: ours through
  Rumur's (promised: at most 2). The program itself, about 5 MB, weighs in small instances.
- *two threads*: wall-clock time with `--jobs 1` through that with `--jobs 2`.

";

const CMURPHI: &str = "
## Exploration with symmetry, against CMurphi

CMurphi 5.4.9 generates a verifier in C++ for one model, which is compiled with `g++ -O3`; generating and compiling
are not counted. Both search all states on one thread, each in its canonical form (`-permlimit0`), without looking
for deadlocks. `--mu PROGRAM` and `--mu-include FOLDER` say where it is.

- *seconds*: processor time, the best of seven runs in turn; *ratio*: ours through CMurphi's.
- A row is met where both count the same states and rules fired, and ours takes no longer; times are known to 0.01
  s.

";

const DAS: &str = "
## Predicate abstraction, against the thesis of Das

S. Das, *Predicate Abstraction* (Stanford 2003), tables 4.1 and 5.1. The thesis names the protocols and counts; the
models are ours, after the same papers, so a row compares two verifications of the same algorithm, not of the same
text.

- *implicit*, *approximate*: satisfiability checks of each engine until the proof, with the predicates that the
  model declares (promised: no more than the thesis; where it says \"8000+\", 8000 stands here). Checks that make the
  invariant readable and confirm the certificate afterwards are not counted.
- *cycles*, *predicates*: discovery cycles of all properties together, and predicates of the property that has most,
  with none declared (promised: proved, in no more cycles than the thesis).
- *seconds*, *MB*: wall-clock time, certificate included, and peak memory of the process (promised: less than 1024).
  The last rows of the first table have no figures in the thesis: they are met where both engines prove them.

";

const INDEXED: &str = "
## Indexed predicates, against Lahiri and Bryant

S. Lahiri, R. Bryant, *Constructing quantified invariants via predicate abstraction* (VMCAI 2004). Their machine had
2.1 GHz and 1 GB; the models are ours, after the paper's description.

- *predicates*, *iterations*, *abstract states*: as the model declares them, until nothing new is reached, and what
  is reached then.
- *checks*: satisfiability checks in all. *seconds*: processor time in all, with the search for bugs and the
  certificate. *Without predicates*: the same proof with none declared.
- A row is met where the proof with the declared predicates is certified, in no more time than the paper's, and
  within a minute.

";

const PEERS: &str = "
## Proofs for every size, against Cubicle and Spacer

The files are those that come with [Cubicle](https://github.com/cubicle-model-checker/cubicle), which runs with
`-brab 2`; Spacer is the engine for Horn clauses in Z3, which gets what `cubist export --to chc` writes. `--cubicle
PROGRAM` says where Cubicle is.

- *seconds*: processor time of the program and of what it starts. Ours include the search for bugs, and the
  certificate that cvc5 confirms.
- *confirming*: the part of it that confirmation took. The other tools produce nothing to confirm.
- *calls*: satisfiability checks, as each tool counts them; a call of Cubicle's is a small one, without quantifiers
  and mostly incremental.
- *ratio*: ours through theirs, where both answer.
- A row is met where we answer, no peer answers differently, and none is faster; times below one second count as
  one. It is empty where no peer answers, and where we refuse the file: `distrib_channels.cub` has no initial state
  (`init` contradicts itself), and every claim about no state holds. Without either half of the contradiction both
  Cubicle and we find it unsafe.

";

const PROGRAMS: &str = "
## C programs

![Seconds and checks against the number of locks](locks.svg)

What `cubist check` says about programs of the software verification competition of 2016, descendants of the drivers
and of the OpenSSL code in the papers, and about programs of ours with more and more locks. They are taken as `gcc -m32`
would, and numbers wrap around.

- *locations*: with all calls inlined; *variables*: of the transition system. Both for proofs.
- *checks*: of the solver inside of the program; the engine for Horn clauses counts none. *processor s* has all
  processes.
- *slam*: what `--engine slam` says, with Constrain off, lazy and eager, and its processor time in seconds;
  *predicates*, *iterations*, *checks*: where it is lazy. What a limit ended says nothing of these.
- *CBMC*: what [CBMC](https://github.com/diffblue/cbmc) says of the same file, `--cbmc PROGRAM` says where it is. It
  unwinds loops 2, 4, 8, ... times until it finds a violation or no run goes on, and its seconds are those of all
  rounds. *ratio*: our processor time through its, where both decide.
- A row is met where the verdict is the expected one, and slam says nothing else.

";

const FILES: &str = "
## Every model

What `cubist check` says about every model of the project and about those of others, as users run it.

- *about*: the types that the verdict is about at every size, and the sizes of the others. *states*: where the
  answer, or what is known in its place, comes from the exploration of the file as it is written.
- *checks*: of the solver that looks for proofs. *seconds*: wall-clock time.
- *without predicates*: the same with `--ignore-predicates`, for the models of the project, some of which declare
  predicates.
- A row is met where the verdict is the one that the model expects on its first line, and is not contradicted
  without predicates.

";

const MAGIC: &str = "
## Components against state machines

![States and seconds against the number of processes in a ring](components.svg)

`cubist conform` on the models of models/conformance: figures 12 and 14 to 18 of the paper about MAGIC, in our form.

- *PIt*, *LIt*: iterations by predicates and by actions; *predicates*: expressions, predicates where those that
  exclude each other count as one, and branches that were chosen; *states*: of all components side by side in the
  last search.
- First both levels, with a minimum set of branches; then predicates alone (*one*); then both levels with the greedy
  algorithm of figure 10, and with no minimisation.
- *gain*: states with predicates alone through those with both levels. *ratio*: processor time with both levels
  through that with predicates alone; times below one second count as one.
- A row is met where both levels find the verdict that the model names, with a ratio of at most 1.2 and less than
  500 MB.

";

const GROWTH: &str = "
## Predicates that are not needed

![Seconds and checks against the number of predicates added](growth.svg)

The proof of one property with the predicates that the model declares, and then with ever more that no proof of it
needs. In German's protocol: about the values that are written, on which the property does not depend (they lie
outside of its cone of influence); and about who asks and who is served, on which it depends without needing to
know. In the bakery: comparisons of tickets with numbers.

- Processor time and satisfiability checks in all, with the search for bugs and the certificate.
- A row is met where every proof succeeds in at most twice the time of the first; times below one second count as
  one.

";
