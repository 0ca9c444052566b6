// This file defines `Docket.Approval`, the annotation of entities that people approve by votes, as a shape from which its type, its reader and
// its vocabulary follow. docs/approvals.md describes the members.
import type { Shape, Shaped } from '../clocks/clock-rules.ts';

export const APPROVAL = {
  Votes: 'text',
  Voter: 'text',
  Vote: 'text',
  VoteReason: 'text?',
  VoteRound: 'text',
  VoteOpen: 'text',
  VotedAt: 'text?',
  VotedBy: 'text?',
  Deputy: { optional: { Person: 'text', Until: 'text' } },
  Approvers: 'text',
  Where: 'text?',
  Required: 'text',
  Deadline: 'text?',
  Approvals: 'text',
  Voters: 'text?',
  Round: 'text',
  StateBefore: 'text?',
  Waiting: 'text?',
  Approve: 'texts?',
  Reject: 'texts?',
  Outcome: {
    optional: {
      Member: 'text',
      Waiting: 'text',
      Approved: 'text',
      Rejected: 'text',
      Withdrawn: 'text',
    },
  },
} as const satisfies Shape;

export type ApprovalRules = Shaped<typeof APPROVAL>;
