//! Saturates .dag programs with single-pattern rules on egg (Willsey et al., POPL 2021): operators are names,
//! no analysis, no conditions. The run alone is timed, in CPU seconds of this thread.
//!
//!   egg-peer RULES ITERATIONS SCHEDULER REPEATS DAG...
//!
//! RULES: one `LEFT=>RIGHT` or `LEFT<=>RIGHT` a line; SCHEDULER: simple or backoff; all DAGs go into one
//! e-graph; EGG_NODE_LIMIT sets a node limit. Prints one JSON object.

use egg::*;
use std::time::Duration;

fn cpu_seconds() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}

fn lines(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with(';') && !l.starts_with('#'))
        .map(str::to_string)
        .collect()
}

fn rules(path: &str) -> Vec<Rewrite<SymbolLang, ()>> {
    let mut out = Vec::new();
    for (i, line) in lines(path).iter().enumerate() {
        let (both, left, right) = match line.split_once("<=>") {
            Some((l, r)) => (true, l, r),
            None => {
                let (l, r) = line.split_once("=>").expect("LEFT=>RIGHT");
                (false, l, r)
            }
        };
        let left: Pattern<SymbolLang> = left.parse().unwrap();
        let right: Pattern<SymbolLang> = right.parse().unwrap();
        out.push(Rewrite::new(format!("{i}"), left.clone(), right.clone()).unwrap());
        if both {
            out.push(Rewrite::new(format!("{i} reversed"), right, left).unwrap());
        }
    }
    out
}

fn add_dag(egraph: &mut EGraph<SymbolLang, ()>, path: &str) {
    let mut made: Vec<Id> = Vec::new();
    for line in lines(path) {
        let mut words = line.split_whitespace();
        let op = words.next().unwrap();
        let children = words.map(|w| made[w.parse::<usize>().unwrap()]).collect();
        made.push(egraph.add(SymbolLang::new(op, children)));
    }
}

fn runner(egraph: EGraph<SymbolLang, ()>, nodes: usize, iterations: usize) -> Runner<SymbolLang, ()> {
    Runner::default()
        .with_egraph(egraph)
        .with_node_limit(nodes)
        .with_iter_limit(iterations)
        .with_time_limit(Duration::from_secs(3600))
}

fn live(egraph: &EGraph<SymbolLang, ()>) -> usize {
    egraph.classes().map(|c| c.nodes.len()).sum()
}

fn explore(args: &[String]) {
    let rules = rules(&args[0]);
    let iterations: usize = args[1].parse().unwrap();
    let repeats: usize = args[3].parse().unwrap();
    let mut start: EGraph<SymbolLang, ()> = EGraph::default();
    for dag in &args[4..] {
        add_dag(&mut start, dag);
    }
    start.rebuild();
    let node_limit = std::env::var("EGG_NODE_LIMIT").map_or(usize::MAX, |v| v.parse().unwrap());
    let mut seconds = Vec::new();
    let mut last = None;
    for _ in 0..repeats {
        let mut r = runner(start.clone(), node_limit, iterations);
        r = if args[2] == "simple" {
            r.with_scheduler(SimpleScheduler)
        } else {
            r.with_scheduler(BackoffScheduler::default())
        };
        let begin = cpu_seconds();
        let r = r.run(&rules);
        seconds.push(cpu_seconds() - begin);
        last = Some(r);
    }
    let r = last.unwrap();
    println!(
        "{{\"e_nodes\": {}, \"e_classes\": {}, \"hashcons_size\": {}, \"iterations\": {}, \"stop\": \"{:?}\", \"cpu_seconds\": {:?}}}",
        live(&r.egraph),
        r.egraph.number_of_classes(),
        r.egraph.total_size(),
        r.iterations.len(),
        r.stop_reason.as_ref().unwrap(),
        seconds
    );
}

fn main() {
    explore(&std::env::args().skip(1).collect::<Vec<_>>());
}
