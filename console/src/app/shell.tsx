// This file is the frame around all pages: navigation, search, the account, and banners about the service.

import {
  AppShell,
  Burger,
  Button,
  Center,
  Group,
  Loader,
  Menu,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { CONTENT, focusContent } from '../components/focus.ts';
import { Icon } from '../components/icons.tsx';
import { RouterNavLink } from '../components/router-anchor.tsx';
import {
  LANGUAGE_NAMES,
  LANGUAGES,
  useChangeLanguage,
  useLanguage,
  useText,
} from '../i18n/text.tsx';
import { navigationSets } from '../model/layout.ts';
import { ModelProvider, useService } from '../model/use-model.tsx';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { signOut } from '../session/session.ts';
import { useSession } from '../session/use-session.ts';
import { Banner } from './banner.tsx';
import { usePageTitle } from './page-title.ts';
import { useAreRightsPending, useRights } from './rights.ts';

export function Shell() {
  return (
    <ModelProvider
      waiting={<Waiting />}
      failed={(error, retry) => <ErrorNotice error={error} retry={retry} />}
    >
      <FrameWithRights />
    </ModelProvider>
  );
}

function FrameWithRights() {
  if (useAreRightsPending()) return <Waiting />;
  return (
    <Suspense fallback={<Waiting />}>
      <Frame />
    </Suspense>
  );
}

function Waiting() {
  const text = useText();
  return (
    <Center h="60vh" role="status" aria-label={text('app.loading')}>
      <Loader />
    </Center>
  );
}

function Frame() {
  const text = useText();
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu of small screens.
  useEffect(close, [pathname]);
  useFocusOnContent();
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a className="skip-link" href={`#${CONTENT}`}>
        {text('app.skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={text('app.menu')}
              aria-expanded={isOpen}
            />
            <Text fw={700}>{text('app.title')}</Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Shortcuts />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="xs"
        aria-label={text('app.navigation')}
        component="nav"
        // The closed menu of small screens is beside the screen, where nobody sees the focus.
        {...(isOpen ? {} : { visibleFrom: 'sm' })}
      >
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id={CONTENT} tabIndex={-1}>
        <Banner />
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}

/** A page that replaces another one gets the focus, unless it still shows what has it. */
function useFocusOnContent(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        const { activeElement } = document;
        const isLost = activeElement === null || activeElement === document.body;
        if (fromLocation !== undefined && pathChanged && (isLost || activeElement.closest('nav')))
          focusContent();
      }),
    [router],
  );
}

function Navigation() {
  const text = useText();
  const { model, listed } = useService();
  const { setsToRead, isAdministrator, isRequester } = useRights();
  const sets = navigationSets(model, new Set(listed.filter((name) => setsToRead.has(name))));
  return (
    <AppShell.Section grow style={{ overflowY: 'auto' }}>
      {isRequester && <RouterNavLink to="/portal" label={text('app.portal')} />}
      {!isRequester && (
        <>
          <RouterNavLink to="/d" label={text('app.dashboards')} />
          {sets.map(({ name, label }) => (
            <RouterNavLink
              key={name}
              to="/s/$set"
              params={{ set: name }}
              search={{}}
              label={label}
            />
          ))}
          <RouterNavLink to="/explore" search={{}} label={text('app.explorer')} />
        </>
      )}
      {isAdministrator && <RouterNavLink to="/admin" label={text('app.administration')} />}
    </AppShell.Section>
  );
}

const SCHEMES = {
  light: 'app.themeLight',
  dark: 'app.themeDark',
  auto: 'app.themeAuto',
} as const;

/** One of the choices of a menu, of which one is chosen. */
const choice = (isChosen: boolean) => ({
  renderRoot: (props: object) => (
    <button type="button" {...props} role="menuitemradio" aria-checked={isChosen} />
  ),
  ...(isChosen ? { rightSection: <Icon name="check" /> } : {}),
});

function AccountMenu() {
  const text = useText();
  const session = useSession();
  const language = useLanguage();
  const changeLanguage = useChangeLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  if (session.kind !== 'signed-in') return null;
  const { Name } = session.grant.Account;
  return (
    <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" aria-label={text('app.account', { name: Name })}>
          {Name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{text('app.theme')}</Menu.Label>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu. */}
        <div role="group" aria-label={text('app.theme')}>
          {(['light', 'dark', 'auto'] as const).map((scheme) => (
            <Menu.Item
              key={scheme}
              {...choice(scheme === colorScheme)}
              onClick={() => setColorScheme(scheme)}
            >
              {text(SCHEMES[scheme])}
            </Menu.Item>
          ))}
        </div>
        <Menu.Label>{text('app.language')}</Menu.Label>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu. */}
        <div role="group" aria-label={text('app.language')}>
          {LANGUAGES.map((tag) => (
            <Menu.Item
              key={tag}
              lang={tag}
              {...choice(tag === language)}
              onClick={() => changeLanguage(tag)}
            >
              {LANGUAGE_NAMES[tag]}
            </Menu.Item>
          ))}
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account">
          {text('account.title')}
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>{text('app.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** @param title why there is nothing to see; by default, that there is no such page */
export function NotFound({ title }: { readonly title?: string }) {
  const text = useText();
  const shown = title ?? text('app.notFound');
  usePageTitle(shown);
  return (
    <Center h="40vh" p="md">
      <Title order={1} size="h4" fw={400} ta="center">
        {shown}
      </Title>
    </Center>
  );
}
