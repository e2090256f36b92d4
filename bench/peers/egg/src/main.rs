//! Saturates .dag programs with single-pattern rules on egg (Willsey et al., POPL 2021): operators are names,
//! no analysis, no conditions. The run alone is timed, in CPU seconds of this thread.
//!
//!   egg-peer RULES ITERATIONS SCHEDULER REPEATS DAG...
//!   egg-peer prove AXIOMS EQUATIONS NODES FIRST_ITERATIONS REPEATS
//!
//! prove: both sides of all equations (`f(a,b)==g(c)`, one after the other) go into one e-graph, with egg's backoff
//! scheduler, until all are proved or a limit is met; what is open then is tried again by itself, with twice as many iterations
//! (30 at most).
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

/// One term of the functional notation, from `at`.
fn term(text: &[u8], at: &mut usize, expr: &mut RecExpr<SymbolLang>) -> Id {
    let begin = *at;
    while *at < text.len() && (text[*at].is_ascii_alphanumeric() || text[*at] == b'_') {
        *at += 1;
    }
    let op = std::str::from_utf8(&text[begin..*at]).unwrap().to_string();
    let mut children = Vec::new();
    if *at < text.len() && text[*at] == b'(' {
        while text[*at] != b')' {
            *at += 1;
            children.push(term(text, at, expr));
        }
        *at += 1;
    }
    expr.add(SymbolLang::new(op, children))
}

type Side = RecExpr<SymbolLang>;

fn equations(path: &str) -> Vec<(Side, Side)> {
    let text: Vec<u8> = std::fs::read(path).unwrap().into_iter().filter(|c| !c.is_ascii_whitespace()).collect();
    let (mut at, mut out) = (0, Vec::new());
    while at < text.len() {
        let (mut left, mut right) = (Side::default(), Side::default());
        term(&text, &mut at, &mut left);
        assert_eq!(&text[at..at + 2], b"==");
        at += 2;
        term(&text, &mut at, &mut right);
        out.push((left, right));
    }
    out
}

fn prove(args: &[String]) {
    let rules = rules(&args[0]);
    let equations = equations(&args[1]);
    let nodes: usize = args[2].parse().unwrap();
    let first: usize = args[3].parse().unwrap();
    let repeats: usize = args[4].parse().unwrap();
    let mut seconds = Vec::new();
    let (mut proved, mut iterations, mut e_nodes) = (0, Vec::new(), Vec::new());
    for _ in 0..repeats {
        let begin = cpu_seconds();
        let mut open: Vec<usize> = (0..equations.len()).collect();
        iterations.clear();
        e_nodes.clear();
        loop {
            let mut egraph: EGraph<SymbolLang, ()> = EGraph::default();
            let ids: Vec<(Id, Id)> =
                open.iter().map(|&e| (egraph.add_expr(&equations[e].0), egraph.add_expr(&equations[e].1))).collect();
            let goal = ids.clone();
            let limit = std::cmp::min(30, first << iterations.len());
            let r = runner(egraph, nodes, limit)
                .with_scheduler(BackoffScheduler::default())
                .with_hook(move |r| {
                    match goal.iter().all(|&(a, b)| r.egraph.find(a) == r.egraph.find(b)) {
                        true => Err("all proved".to_string()),
                        false => Ok(()),
                    }
                })
                .run(&rules);
            iterations.push(r.iterations.len());
            e_nodes.push(live(&r.egraph));
            let before = open.len();
            open = open
                .into_iter()
                .zip(ids)
                .filter(|&(_, (a, b))| r.egraph.find(a) != r.egraph.find(b))
                .map(|(e, _)| e)
                .collect();
            if open.is_empty() || (open.len() == before && limit == 30) {
                break;
            }
        }
        seconds.push(cpu_seconds() - begin);
        proved = equations.len() - open.len();
    }
    println!(
        "{{\"equations\": {}, \"proved\": {}, \"iterations\": {:?}, \"e_nodes\": {:?}, \"cpu_seconds\": {:?}}}",
        equations.len(),
        proved,
        iterations,
        e_nodes,
        seconds
    );
}

fn main() {
    let args = std::env::args().skip(1).collect::<Vec<_>>();
    match args[0].as_str() {
        "prove" => prove(&args[1..]),
        _ => explore(&args),
    }
}
