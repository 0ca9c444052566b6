// This file changes the model of the installation in a dialog: files, plan, outcome. Mistakes in the files are shown with them, and what the service
// rejects after that with the plan.
import { Button, Loader } from '@mantine/core';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../i18n/text.tsx';
import { FileStep } from './file-step.tsx';
import {
  applyModel,
  type ModelApplication,
  type ModelFile,
  type ModelPlan,
  planModel,
  useModelInForce,
} from './model-data.ts';
import { OutcomeStep } from './outcome-step.tsx';
import { PlanStep } from './plan-step.tsx';

export function ModelChange() {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {text('model.changeModel')}
      </Button>
      {isOpen && <ChangeDialog onClose={() => setOpen(false)} />}
    </>
  );
}

interface PlannedFiles {
  readonly files: readonly ModelFile[];
  readonly plan: ModelPlan;
}

function ChangeDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const client = useQueryClient();
  const [files, setFiles] = useState<readonly ModelFile[]>([]);
  const plan = useMutation({ mutationFn: planModel });
  const apply = useMutation({
    mutationFn: async ({ files, plan }: PlannedFiles) => await applyModel(files, plan),
  });
  // The screens show the other model after the dialog, which shows the outcome, has been closed.
  const close = () => {
    onClose();
    if (apply.data?.State === 'applied') void client.invalidateQueries();
  };
  return (
    <Dialog
      onClose={close}
      size="xl"
      title={text('model.changeModel')}
      closeOnClickOutside={false}
      closeOnEscape={!apply.isPending}
      withCloseButton={!apply.isPending}
    >
      {apply.isPending || apply.data !== undefined ? (
        <OutcomeStep outcome={apply.data} onClose={close} />
      ) : (
        <Preparation files={files} onFiles={setFiles} plan={plan} apply={apply} />
      )}
    </Dialog>
  );
}

/** The steps before a model is applied. */
function Preparation({
  files,
  onFiles,
  plan,
  apply,
}: {
  readonly files: readonly ModelFile[];
  readonly onFiles: (files: readonly ModelFile[]) => void;
  readonly plan: UseMutationResult<ModelPlan, Error, readonly ModelFile[]>;
  readonly apply: UseMutationResult<ModelApplication, Error, PlannedFiles>;
}) {
  const { data: inForce, error, refetch } = useModelInForce();
  if (plan.data !== undefined)
    return (
      <PlanStep
        plan={plan.data}
        error={apply.error}
        onBack={() => {
          plan.reset();
          apply.reset();
        }}
        onApply={() => apply.mutate({ files, plan: plan.data })}
      />
    );
  if (error !== null) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (inForce === undefined) return <Loader size="sm" />;
  return (
    <FileStep
      inForce={inForce}
      files={files}
      error={plan.error}
      isBusy={plan.isPending}
      onChange={(changed) => {
        plan.reset();
        onFiles(changed);
      }}
      onPlan={() => plan.mutate(files)}
    />
  );
}
