// This script of the API reference signs in, reads the description of the service with the token, and starts Swagger UI with it. The
// token is kept in memory only: it is gone when the page is closed or reloaded.
// The query of the page is that of /openapi.json, so that links to a part of the description work. Without one, the page shows the main
// operations, because a browser needs seconds to show all of them.

const form = document.getElementById('sign-in');
const signOut = document.getElementById('sign-out');
const status = document.getElementById('status');
const reference = document.getElementById('reference');

/** Milliseconds by which tokens are refreshed before they expire. */
const EARLY = 30_000;

/** Requests a token. Throws an Error with the reason of the service. */
async function requestToken(fields) {
  const body = new URLSearchParams(fields);
  const response = await fetch('../token', { method: 'POST', body });
  const answer = await response.json();
  if (response.ok) return { ...answer, until: Date.now() + answer.expires_in * 1000 - EARLY };
  throw new Error(answer.error_description ?? answer.error?.message ?? response.statusText);
}

/** Logs in with the password. Returns a function that returns a valid token, after refreshing it if necessary. */
async function logIn(username, password) {
  let session = Promise.resolve(await requestToken({ grant_type: 'password', username, password }));
  return async () => {
    // Requests at the same time wait for the same refresh.
    session = session.then(refreshed);
    return (await session).access_token;
  };
}

/** The session with a valid token. If it has ended, requests with the old token show the reason. */
async function refreshed(session) {
  if (Date.now() < session.until) return session;
  const { refresh_token } = session;
  return await requestToken({ grant_type: 'refresh_token', refresh_token }).catch(() => session);
}

/** Reads the description. Throws an Error with the reason of the service. */
async function readDescription(token) {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(`../openapi.json${location.search || '?compact=true'}`, { headers });
  if (response.ok) return await response.json();
  const { error } = await response.json();
  throw new Error(error?.message ?? response.statusText);
}

/** The names of the schemas that a value refers to. */
function referencesIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  const name = schemaName(value.$ref);
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(referencesIn)];
}

function schemaName(reference) {
  return /^#\/components\/schemas\/(.+)$/.exec(reference)?.[1];
}

/** Whether following the references of a schema returns to it. */
function isCyclic(schema, references) {
  const found = new Set();
  const open = [...(references.get(schema) ?? [])];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === schema) return true;
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(references.get(name) ?? []));
  }
  return false;
}

/**
 * The description with related entities by name only. Swagger UI copies each schema to every place that refers to it: related
 * entities with theirs, and so on, until the browser stops.
 */
function withoutCycles(spec) {
  const schemas = Object.entries(spec.components?.schemas ?? {});
  const references = new Map(schemas.map(([name, schema]) => [name, referencesIn(schema)]));
  const cyclic = new Set([...references.keys()].filter((name) => isCyclic(name, references)));
  const cut = (value) => {
    if (Array.isArray(value)) return value.map(cut);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...others } = value;
    const name = schemaName($ref);
    if (cyclic.has(name)) return { title: name.split('.').at(-1), ...others, type: 'object' };
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, one]) => [key, key === 'allOf' ? one : cut(one)]));
  };
  const cutSchemas = Object.fromEntries(schemas.map(([name, schema]) => [name, cut(schema)]));
  return { ...spec, components: { ...spec.components, schemas: cutSchemas } };
}

/** Shows the description. With a token, requests that the reader sends are authorized with the one that `current` returns. */
function show(spec, token, current) {
  const ui = globalThis.SwaggerUIBundle({
    domNode: reference,
    spec: withoutCycles(spec),
    deepLinking: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    docExpansion: 'none',
    filter: true,
    persistAuthorization: false,
    requestInterceptor: async (request) => {
      const { headers } = request;
      if (headers.Authorization === `Bearer ${token}`)
        headers.Authorization = `Bearer ${await current()}`;
      return request;
    },
    // Colours would take seconds for a page of records.
    syntaxHighlight: false,
    tryItOutEnabled: true,
    validatorUrl: null,
    onComplete: () => token !== undefined && authorize(ui, spec, token),
  });
}

/** Enters the token for each way to sign in that uses tokens. */
function authorize(ui, { components }, token) {
  for (const [name, schema] of Object.entries(components?.securitySchemes ?? {})) {
    if (schema.type === 'oauth2')
      ui.authActions.authorizeOauth2({
        auth: { name, schema },
        token: { access_token: token, token_type: 'Bearer' },
      });
    else if (schema.type === 'http' && schema.scheme === 'bearer')
      ui.preauthorizeApiKey(name, token);
  }
}

/** Shows the outcome of an attempt to sign in. `name` is empty for a token. */
async function enter(current, name) {
  const token = await current();
  const spec = await readDescription(token);
  const isSignedIn = token !== undefined;
  form.hidden = isSignedIn;
  signOut.hidden = !isSignedIn;
  status.textContent = isSignedIn && name !== '' ? `Signed in as ${name}.` : '';
  document.title = spec.info?.title ?? document.title;
  show(spec, token, current);
}

/** Runs the function and shows why it failed. */
async function attempt(work) {
  status.textContent = 'Loading…';
  try {
    await work();
  } catch (error) {
    status.textContent = error.message;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const { username, password, token } = Object.fromEntries(new FormData(form));
  attempt(async () => {
    const given = token.trim();
    const current = given === '' ? await logIn(username, password) : () => given;
    signOut.onclick = () => attempt(async () => leave(given === '' ? await current() : undefined));
    await enter(current, given === '' ? username : '');
    form.reset();
  });
});

/** Ends the session that this page has opened, and forgets the token. */
async function leave(token) {
  const headers = { Authorization: `Bearer ${token}` };
  if (token !== undefined) await fetch('../connect/endsession', { method: 'POST', headers });
  location.reload();
}

// Without an attempt that would fail.
if (reference.dataset.needsSignIn === undefined) attempt(() => enter(() => undefined));
