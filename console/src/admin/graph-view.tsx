// This file draws a workflow as a graph, a chunk of its own with xyflow. The matrix has the same and can be used by keyboard.
import '@xyflow/react/dist/style.css';
import { graphlib, layout } from '@dagrejs/dagre';
import { useComputedColorScheme } from '@mantine/core';
import {
  Background,
  Controls,
  type Edge,
  MarkerType,
  type Node,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { useMemo } from 'react';
import { useText } from '../i18n/text.tsx';
import classes from './admin.module.css';
import type { Place } from './matrix-view.tsx';
import { cellOf, type Workflow } from './workflow-matrix.ts';

const WIDTH = 150;
const HEIGHT = 40;

export function GraphView({
  workflow,
  chosen,
  onChoose,
}: {
  readonly workflow: Workflow;
  readonly chosen: Place | undefined;
  readonly onChoose: (place: Place) => void;
}) {
  const text = useText();
  const scheme = useComputedColorScheme();
  const edges = useMemo(() => edgesOf(workflow, text), [workflow, text]);
  const nodes = useMemo(() => nodesOf(workflow, edges), [workflow, edges]);
  const shown = edges.map((edge) => ({
    ...edge,
    selected: edge.source === chosen?.from && edge.target === chosen.to,
  }));
  return (
    <div className={classes.graph}>
      <ReactFlow
        colorMode={scheme}
        nodes={nodes}
        edges={shown}
        fitView
        nodesConnectable
        deleteKeyCode={null}
        nodesDraggable={false}
        onEdgeClick={(_, { source, target }) => onChoose({ from: source, to: target })}
        onConnect={({ source, target }) => onChoose({ from: source, to: target })}
        ariaLabelConfig={{
          'node.a11yDescription.default': text('admin.graphHelp'),
          'edge.a11yDescription.default': text('admin.graphHelp'),
          'controls.ariaLabel': text('admin.graphControls'),
          'controls.zoomIn.ariaLabel': text('admin.zoomIn'),
          'controls.zoomOut.ariaLabel': text('admin.zoomOut'),
          'controls.fitView.ariaLabel': text('admin.fit'),
        }}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function edgesOf(workflow: Workflow, text: ReturnType<typeof useText>): readonly Edge[] {
  const pairs = workflow.states.flatMap((from) => workflow.states.map((to) => [from, to] as const));
  return pairs.flatMap(([from, to]): readonly Edge[] => {
    const cell = cellOf(workflow, from.value, to.value);
    if (from.value === to.value || cell.kind === 'none' || cell.kind === 'blocked') return [];
    const names = [...cell.rows.filter(({ isBlocked }) => !isBlocked), ...cell.declared];
    return [
      {
        id: `${from.value} ${to.value}`,
        source: from.value,
        target: to.value,
        label: [...new Set(names.map(({ symbol }) => symbol))].join(', '),
        ariaLabel: text('admin.transition', { from: from.label, to: to.label }),
        animated: false,
        markerEnd: { type: MarkerType.ArrowClosed },
      },
    ];
  });
}

function nodesOf({ states }: Workflow, edges: readonly Edge[]): Node[] {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 30, ranksep: 90 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { value } of states) graph.setNode(value, { width: WIDTH, height: HEIGHT });
  for (const { source, target } of edges) graph.setEdge(source, target);
  layout(graph);
  return states.map(({ value, label }) => {
    const { x, y } = graph.node(value) as { readonly x: number; readonly y: number };
    return {
      id: value,
      data: { label },
      position: { x: x - WIDTH / 2, y: y - HEIGHT / 2 },
      width: WIDTH,
      height: HEIGHT,
      sourcePosition: Position.Right,
      targetPosition: Position.Left,
    };
  });
}
