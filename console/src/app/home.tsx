// This file chooses where people start: requesters in the portal, others at the list of the first set.
import { Navigate } from '@tanstack/react-router';
import { useText } from '../i18n/text.tsx';
import { useService } from '../model/use-model.tsx';
import { useRights } from './rights.ts';
import { NotFound } from './shell.tsx';

export function HomePage() {
  const text = useText();
  const { listed } = useService();
  const { isRequester, setsToRead } = useRights();
  const [first] = listed.filter((name) => setsToRead.has(name));
  if (isRequester) return <Navigate to="/portal" replace />;
  if (first === undefined) return <NotFound title={text('app.noRights')} />;
  return <Navigate to="/s/$set" params={{ set: first }} search={{}} replace />;
}
