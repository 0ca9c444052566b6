// This file is the administration: links to screens and sets, and the screen that is open.
import { Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { usePageTitle } from '../app/page-title.ts';
import { useRights } from '../app/rights.ts';
import { NotFound } from '../app/shell.tsx';
import { RouterNavLink } from '../components/router-anchor.tsx';
import { type TextName, useText } from '../i18n/text.tsx';
import { useModel } from '../model/use-model.tsx';
import classes from './admin.module.css';
import { SUBJECTS, setsOf } from './admin-sets.ts';

const SCREENS = {
  rights: lazy(async () => ({ default: (await import('./rights-screen.tsx')).RightsScreen })),
  workflows: lazy(async () => ({
    default: (await import('./workflow-screen.tsx')).WorkflowScreen,
  })),
  schedules: lazy(async () => ({
    default: (await import('./schedule-screen.tsx')).ScheduleScreen,
  })),
  webhooks: lazy(async () => ({
    default: (await import('./webhooks/webhooks-screen.tsx')).WebhooksScreen,
  })),
  key: lazy(async () => ({ default: (await import('./key-screen.tsx')).KeyScreen })),
  model: lazy(async () => ({ default: (await import('./model-screen.tsx')).ModelScreen })),
  health: lazy(async () => ({ default: (await import('./health-screen.tsx')).HealthScreen })),
} satisfies Readonly<Record<string, ComponentType>>;

type ScreenName = keyof typeof SCREENS;
const SCREEN_NAMES = Object.keys(SCREENS) as ScreenName[];

export function AdminPage() {
  const text = useText();
  const { isAdministrator } = useRights();
  const { page = '' } = useParams({ strict: false });
  const name = SCREEN_NAMES.find((one) => one === page);
  const title = text(name === undefined ? 'app.administration' : (`admin.${name}` as TextName));
  usePageTitle(isAdministrator ? title : undefined);
  if (!isAdministrator) return <NotFound />;
  const Screen = name === undefined ? undefined : SCREENS[name];
  return (
    <div className={classes.page}>
      <Navigation key={page} />
      <div className={classes.main}>
        <Title order={1} size="h3" mb="md">
          {title}
        </Title>
        {Screen === undefined ? (
          <Text>{text('admin.choose')}</Text>
        ) : (
          <Suspense fallback={null}>
            <Screen />
          </Suspense>
        )}
      </div>
    </div>
  );
}

/** On small screens the links fold, and are folded again after each choice. */
function Navigation() {
  const text = useText();
  const isWide = useMediaQuery('(min-width: 75em)', undefined, { getInitialValueInEffect: false });
  const links = (
    <nav aria-label={text('app.administration')}>
      <Links />
    </nav>
  );
  if (isWide) return links;
  return (
    <details>
      <summary className={classes.summary}>{text('admin.pages')}</summary>
      {links}
    </details>
  );
}

function Links() {
  const text = useText();
  const model = useModel();
  return (
    <>
      {SCREEN_NAMES.map((name) => (
        <RouterNavLink
          key={name}
          to="/admin/$page"
          params={{ page: name }}
          search={{}}
          label={text(`admin.${name}` as TextName)}
        />
      ))}
      {SUBJECTS.map((subject) => {
        const sets = setsOf(model, subject);
        return sets.length === 0 ? null : (
          <div key={subject}>
            <Text size="xs" fw={600} c="dimmed" pt="sm" px="sm">
              {text(`admin.subject.${subject}`)}
            </Text>
            {sets.map(({ name, label }) => (
              <RouterNavLink
                key={name}
                to="/s/$set"
                params={{ set: name }}
                search={{}}
                label={label}
              />
            ))}
          </div>
        );
      })}
    </>
  );
}
