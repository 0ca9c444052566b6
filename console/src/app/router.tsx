// This file maps URLs to pages. Each page is a chunk of its own. The search parameters of a list are OData system query options, written
// as plain text, so that a URL can be read and edited.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ErrorNotice } from '../components/error-notice.tsx';
import { CONSOLE_ROOT } from './place.ts';
import { NotFound, Shell } from './shell.tsx';

/** Search parameters are texts; pages read numbers and lists from them. */
type Search = Readonly<Record<string, string>>;

function parseSearch(search: string): Search {
  return Object.fromEntries(new URLSearchParams(search));
}

function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(search).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

const root = createRootRoute({ component: Shell, notFoundComponent: () => <NotFound /> });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(async () => await import('./home.tsx'), 'HomePage'),
});

const list = createRoute({
  getParentRoute: () => root,
  path: '/s/$set',
  validateSearch: (search: Search) => search,
  component: lazyRouteComponent(async () => await import('../list/list-page.tsx'), 'ListPage'),
});

const record = createRoute({
  getParentRoute: () => root,
  path: '/s/$set/$key',
  validateSearch: (search: Search) => search,
  component: lazyRouteComponent(
    async () => await import('../record/record-page.tsx'),
    'RecordPage',
  ),
});

const create = createRoute({
  getParentRoute: () => root,
  path: '/new/$set',
  validateSearch: (search: Search) => search,
  component: lazyRouteComponent(async () => await import('../record/new-page.tsx'), 'NewPage'),
});

const dashboards = createRoute({
  getParentRoute: () => root,
  path: '/d',
  component: lazyRouteComponent(
    async () => await import('../dashboards/dashboards-page.tsx'),
    'DashboardsPage',
  ),
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: '/d/$dashboard',
  validateSearch: (search: Search) => search,
  component: lazyRouteComponent(
    async () => await import('../dashboards/dashboard-page.tsx'),
    'DashboardPage',
  ),
});

const explore = createRoute({
  getParentRoute: () => root,
  path: '/explore',
  validateSearch: (search: Search) => search,
  component: lazyRouteComponent(
    async () => await import('../explore/explore-page.tsx'),
    'ExplorePage',
  ),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  beforeLoad: () => {
    throw redirect({ to: '/admin/$page', params: { page: 'accounts' } });
  },
});

const adminPage = createRoute({
  getParentRoute: () => root,
  path: '/admin/$page',
  validateSearch: (search: Search) => search,
  component: lazyRouteComponent(async () => await import('../admin/admin-page.tsx'), 'AdminPage'),
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(
    async () => await import('../account/account-page.tsx'),
    'AccountPage',
  ),
});

const portal = createRoute({
  getParentRoute: () => root,
  path: '/portal',
  validateSearch: (search: Search) => search,
  component: lazyRouteComponent(
    async () => await import('../portal/portal-page.tsx'),
    'PortalPage',
  ),
});

const portalPage = createRoute({
  getParentRoute: () => root,
  path: '/portal/$page',
  validateSearch: (search: Search) => search,
  component: lazyRouteComponent(
    async () => await import('../portal/portal-page.tsx'),
    'PortalPage',
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    list,
    record,
    create,
    dashboards,
    dashboard,
    explore,
    admin,
    adminPage,
    account,
    portal,
    portalPage,
  ]),
  basepath: CONSOLE_ROOT,
  parseSearch,
  stringifySearch,
  defaultErrorComponent: ({ error, reset }) => <ErrorNotice error={error} retry={reset} />,
  defaultPreload: false,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
