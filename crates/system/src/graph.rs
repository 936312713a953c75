//! Small graphs of states, as plain data. `report::graph` draws them.

/// States, concrete or abstract, and the steps between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Of abstract states, what the facts of the nodes are about.
    pub predicates: Vec<String>,
    /// What is left out: shown below the drawing.
    pub legend: Vec<String>,
    /// Nodes are boxes with their texts in them, in a picture as large as they need.
    pub has_boxes: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Steps from a start.
    pub depth: usize,
    pub start: bool,
    /// The state, one line for each part.
    pub text: String,
    /// Of an abstract state, which predicates hold.
    pub facts: Vec<bool>,
    /// What is wrong with the state.
    pub violation: Option<String>,
    /// On the run that the drawing is about.
    pub highlighted: bool,
}

/// One or more rules that lead from a state to another.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub labels: Vec<String>,
    pub highlighted: bool,
}

impl Graph {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a rule from one state to another, unless it is there already.
    pub fn connect(&mut self, from: usize, to: usize, label: &str) {
        let mut edges = self.edges.iter_mut().rev();
        match edges.find(|edge| edge.from == from && edge.to == to) {
            Some(edge) if edge.labels.iter().any(|known| known == label) => {}
            Some(edge) => edge.labels.push(label.to_owned()),
            None => self.edges.push(Edge {
                from,
                to,
                labels: vec![label.to_owned()],
                highlighted: false,
            }),
        }
    }
}
