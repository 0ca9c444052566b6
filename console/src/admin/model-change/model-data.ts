// This file plans and applies models by the operations of the service.
import { useQuery } from '@tanstack/react-query';
import { requestJson } from '../../api/client.ts';
import { isTemporary } from '../../api/request-failed.ts';

export interface ModelFile {
  readonly Name: string;
  readonly Content: string;
}

export interface ModelApplication {
  readonly State: 'applying' | 'applied' | 'failed' | 'interrupted';
  readonly Version: number;
  readonly Message: string | null;
  readonly Backup: string | null;
}

export interface ModelVersion {
  readonly Version: number;
  readonly Applied: string;
  readonly Author: string;
  readonly Files: readonly ModelFile[];
  readonly LastApplication: ModelApplication | null;
}

export interface ModelDifference {
  readonly Change: 'added' | 'removed' | 'changed';
  readonly Kind: string;
  readonly Name: string;
  readonly Fields: readonly {
    readonly Field: string;
    readonly Before: string | null;
    readonly After: string | null;
  }[];
}

export interface ModelLoss {
  readonly Kind: 'values' | 'digits' | 'rows' | 'links';
  readonly Table: string;
  readonly Column: string | null;
  /** Int64, which arrives as a string. */
  readonly Rows: string;
}

export interface ModelStep {
  readonly Text: string;
  readonly Losses: readonly ModelLoss[];
  readonly Conflicts: readonly string[];
}

export interface ModelPlan {
  readonly Version: number;
  readonly IsSame: boolean;
  readonly LosesData: boolean;
  readonly Differences: readonly ModelDifference[];
  readonly Steps: readonly ModelStep[];
  readonly Warnings: readonly {
    readonly Path: string;
    readonly Message: string;
    readonly Remedy: string;
  }[];
}

const IN_FORCE = ['model-in-force'];

export function useModelInForce() {
  return useQuery({ queryKey: IN_FORCE, queryFn: readModelInForce, gcTime: 0 });
}

async function readModelInForce(): Promise<ModelVersion> {
  return await requestJson<ModelVersion>('ModelInForce()');
}

export async function planModel(Files: readonly ModelFile[]): Promise<ModelPlan> {
  return await requestJson<ModelPlan>('PlanModel', { method: 'POST', body: { Files } });
}

/** Milliseconds between two questions about the outcome. */
const INTERVAL = 1000;

/** Applies the model to the version that it was planned for, and waits for the outcome. */
export async function applyModel(
  Files: readonly ModelFile[],
  { Version, LosesData }: ModelPlan,
): Promise<ModelApplication> {
  const body = { Files, Version, AllowLoss: LosesData };
  const started = await requestJson<ModelApplication>('ApplyModel', { method: 'POST', body });
  let application = started;
  while (application.State === 'applying') {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    application = (await lastApplication()) ?? application;
  }
  return application;
}

/** Undefined while the service does not answer, because it hands over the database. */
async function lastApplication(): Promise<ModelApplication | undefined> {
  try {
    return (await readModelInForce()).LastApplication ?? undefined;
  } catch (error) {
    if (isTemporary(error)) return undefined;
    throw error;
  }
}
