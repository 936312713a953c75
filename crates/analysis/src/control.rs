//! Control dependence: post-dominators, and the branches that decide whether a location is reached.
//!
//! J. Ferrante, K. J. Ottenstein, J. D. Warren, *The program dependence graph and its use in optimization*, 1987;
//! post-dominators as K. D. Cooper, T. J. Harvey, K. Kennedy, *A simple, fast dominance algorithm*, 2001.
//!
//! The end of a procedure is a node of its own, after its exit and after every step that may not return. A location
//! that cannot reach the end, such as one in an endless loop, has no post-dominator, and nothing depends on it.

/// A directed graph as successor lists.
pub(crate) type Successors = Vec<Vec<usize>>;

pub(crate) struct Dependence {
    /// The immediate post-dominator of each node.
    post_dominators: Vec<Option<usize>>,
    /// The nodes that each node is control dependent on.
    deciders: Vec<Vec<usize>>,
}

impl Dependence {
    /// Analyses a graph whose last node is the end.
    pub(crate) fn of(successors: &Successors) -> Dependence {
        let post_dominators = post_dominators(successors);
        let mut deciders = vec![Vec::new(); successors.len()];
        for (node, next) in successors.iter().enumerate() {
            if next.len() < 2 {
                continue;
            }
            for successor in next {
                // The nodes from the successor up to the post-dominator depend on this branch.
                let mut current = Some(*successor);
                while let Some(dependent) = current.filter(|current| Some(*current) != post_dominators[node]) {
                    if deciders[dependent].last() != Some(&node) {
                        deciders[dependent].push(node);
                    }
                    current = post_dominators[dependent].filter(|up| *up != dependent);
                }
            }
        }
        Dependence {
            post_dominators,
            deciders,
        }
    }

    pub(crate) fn post_dominator(&self, node: usize) -> Option<usize> {
        self.post_dominators[node]
    }

    pub(crate) fn deciders(&self, node: usize) -> &[usize] {
        &self.deciders[node]
    }
}

fn post_dominators(successors: &Successors) -> Vec<Option<usize>> {
    let end = successors.len() - 1;
    let order = from_the_end(successors);
    let mut rank = vec![usize::MAX; successors.len()];
    for (position, node) in order.iter().enumerate() {
        rank[*node] = position;
    }
    let mut nearest: Vec<Option<usize>> = vec![None; successors.len()];
    nearest[end] = Some(end);
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for node in order.iter().copied().filter(|node| *node != end) {
            let known = successors[node].iter().copied().filter(|next| nearest[*next].is_some());
            let common = known.reduce(|a, b| meet(a, b, &nearest, &rank));
            if common != nearest[node] {
                nearest[node] = common;
                is_stable = false;
            }
        }
    }
    nearest[end] = None;
    nearest
}

/// The nearest common post-dominator of two nodes.
fn meet(mut a: usize, mut b: usize, nearest: &[Option<usize>], rank: &[usize]) -> usize {
    while a != b {
        let later = if rank[a] > rank[b] { &mut a } else { &mut b };
        match nearest[*later] {
            Some(up) => *later = up,
            None => return *later,
        }
    }
    a
}

/// The nodes that reach the end, in reverse postorder of the reversed graph.
fn from_the_end(successors: &Successors) -> Vec<usize> {
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); successors.len()];
    for (node, next) in successors.iter().enumerate() {
        for successor in next {
            predecessors[*successor].push(node);
        }
    }
    let end = successors.len() - 1;
    let mut seen = vec![false; successors.len()];
    seen[end] = true;
    let mut postorder = Vec::new();
    let mut stack = vec![(end, 0)];
    while let Some((node, position)) = stack.pop() {
        match predecessors[node].get(position) {
            Some(next) => {
                stack.push((node, position + 1));
                if !std::mem::replace(&mut seen[*next], true) {
                    stack.push((*next, 0));
                }
            }
            None => postorder.push(node),
        }
    }
    postorder.reverse();
    postorder
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 branches to 1 and 2; both lead to 3; 3 is a loop with the body 4, and leads to the end, 5.
    fn graph() -> Successors {
        vec![vec![1, 2], vec![3], vec![3], vec![4, 5], vec![3], vec![]]
    }

    #[test]
    fn branches_and_loops_decide_what_is_in_them() {
        let dependence = Dependence::of(&graph());
        let found: Vec<&[usize]> = (0..6).map(|node| dependence.deciders(node)).collect();
        assert_eq!(found, [&[][..], &[0], &[0], &[3], &[3], &[]]);
        assert_eq!(dependence.post_dominator(0), Some(3));
        assert_eq!(dependence.post_dominator(3), Some(5));
        assert_eq!(dependence.post_dominator(5), None);
    }

    #[test]
    fn what_comes_after_a_way_out_depends_on_it() {
        // 0 branches to 1, which ends, and to 2, which goes on to 3 and the end.
        let dependence = Dependence::of(&vec![vec![1, 2], vec![4], vec![3], vec![4], vec![]]);
        assert_eq!(dependence.deciders(3), [0]);
    }

    #[test]
    fn endless_loops_have_no_way_to_the_end() {
        // 0 branches to 1, which stays there, and to 2, the end.
        let dependence = Dependence::of(&vec![vec![1, 2], vec![1], vec![]]);
        assert_eq!(dependence.post_dominator(1), None);
        assert_eq!(dependence.deciders(1), [0]);
    }
}
