// This file is the portal of people who ask for something: their requests, a new request, and one request with its conversation.
import { Alert, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { usePageTitle } from '../app/page-title.ts';
import { portalSet } from '../app/portal-set.ts';
import { useRights } from '../app/rights.ts';
import { unreadablePaths } from '../app/unreadable.ts';
import { useText } from '../i18n/text.tsx';
import { useService } from '../model/use-model.tsx';
import { NewRequest } from './new-request.tsx';
import classes from './portal.module.css';
import { Request } from './request.tsx';
import { Requests } from './requests.tsx';

export function PortalPage() {
  const text = useText();
  const { model, listed } = useService();
  const rights = useRights();
  const { page } = useParams({ strict: false });
  const set = portalSet(model, listed, rights.of);
  usePageTitle(page === undefined ? text('app.portal') : undefined);
  if (set === undefined) return <Alert m="md">{text('common.noAccess')}</Alert>;
  const mayCreate = rights.of(set.name).Create;
  return (
    <Stack className={classes.page ?? ''} gap="md">
      {page === undefined && <Requests set={set} mayCreate={mayCreate} />}
      {page === 'new' && <NewRequest set={set} />}
      {page !== undefined && page !== 'new' && (
        <Request
          key={page}
          set={set}
          keyText={page}
          unreadable={unreadablePaths(model, set, rights)}
        />
      )}
    </Stack>
  );
}
