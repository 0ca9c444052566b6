// This file lists the dashboards that the account sees, and creates new ones.
import { Badge, Button, Group, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import '@mantine/core/styles/List.css';
import { useNavigate } from '@tanstack/react-router';
import { usePageTitle } from '../app/page-title.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RouterAnchor } from '../components/router-anchor.tsx';
import { useText } from '../i18n/text.tsx';
import { useCanStore, useDashboards, useStoreDashboard } from './dashboard-store.ts';
import classes from './dashboards.module.css';

export function DashboardsPage() {
  const text = useText();
  usePageTitle(text('app.dashboards'));
  const { data, error, refetch, isLoading } = useDashboards();
  return (
    <Stack className={classes.page ?? ''} maw={720}>
      <Group justify="space-between">
        <Title order={1} size="h3">
          {text('app.dashboards')}
        </Title>
        <NewDashboard />
      </Group>
      <List listStyleType="none" spacing="xs">
        <List.Item>
          <RouterAnchor to="/d/$dashboard" params={{ dashboard: 'default' }}>
            {text('dashboard.default')}
          </RouterAnchor>{' '}
          <Text span size="xs" c="dimmed">
            {text('dashboard.defaultHelp')}
          </Text>
        </List.Item>
        {data?.map(({ uid = '', name, owner, scope }) => (
          <List.Item key={uid}>
            <RouterAnchor to="/d/$dashboard" params={{ dashboard: uid }}>
              {name}
            </RouterAnchor>{' '}
            <Text span size="xs" c="dimmed">
              {owner}
            </Text>{' '}
            {scope !== 'own' && (
              <Badge variant="default" tt="none" size="sm">
                {text('dashboard.shared')}
              </Badge>
            )}
          </List.Item>
        ))}
      </List>
      {isLoading && <Skeleton h={24} />}
      {error !== null && <ErrorNotice error={error} retry={() => void refetch()} />}
    </Stack>
  );
}

function NewDashboard() {
  const text = useText();
  const navigate = useNavigate();
  const canStore = useCanStore();
  const { save } = useStoreDashboard();
  if (!canStore) return null;
  const create = async () => {
    const uid = await save.mutateAsync({
      uid: undefined,
      etag: undefined,
      owner: undefined,
      name: text('dashboard.new'),
      scope: 'own',
      isDefault: false,
      tiles: [],
    });
    await navigate({ to: '/d/$dashboard', params: { dashboard: uid }, search: { edit: '1' } });
  };
  return (
    <Stack gap={4} align="end">
      <Button
        size="xs"
        loading={save.isPending}
        onClick={() => void create().catch(() => undefined)}
      >
        {text('dashboard.new')}
      </Button>
      {save.error !== null && <ErrorNotice error={save.error} />}
    </Stack>
  );
}
