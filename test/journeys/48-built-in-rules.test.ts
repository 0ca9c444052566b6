// This file checks the rules for values in the built-in model.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const NO_ADDRESS = 'expected an e-mail address such as name@example.com (Validation.Pattern).';
const NO_ZONE =
  'expected a name of the IANA time zone database, such as Europe/Amsterdam (Docket.TimeZone).';

describe('The service rejects', () => {
  it.each([
    [
      'ServiceRequests',
      { Description: ' ' },
      'expected text that is not blank (Validation.Pattern).',
    ],
    ['Persons', { LastName: '\t' }, 'expected text that is not blank (Validation.Pattern).'],
    ['Persons', { LastName: 'Lee', Email: 'lee' }, NO_ADDRESS],
    ['Persons', { LastName: 'Lee', Email: 'lee@home@example.com' }, NO_ADDRESS],
    ['Persons', { LastName: 'Lee', Email: 'lee@example..com' }, NO_ADDRESS],
    ['Organizations', { Name1: 'Lee', Email: 'lee@' }, NO_ADDRESS],
    ['Locations', { Name: 'Home', TimeZone: 'Mars/Olympus' }, NO_ZONE],
    ['Locations', { Name: 'Home', TimeZone: '+01:00' }, NO_ZONE],
    [
      'MaintenanceContracts',
      { Name: 'Lifts', Price: { Amount: -0.01, Currency: 'EUR' } },
      'expected a value of at least 0 (Validation.Minimum).',
    ],
  ])('in %s: %j', async (set, body, message) => {
    const { status, json } = await desk.send('POST', `/${set}`, { body });
    const details = (json.error?.details ?? []) as readonly { message: string }[];
    expect([status, details.some((one) => one.message.includes(message))]).toEqual([400, true]);
  });
});

describe('The service accepts', () => {
  it.each([
    ['Persons', { LastName: 'Lee', Email: "anna.o'lee+desk@mail.example.com", TimeZone: 'UTC' }],
    [
      'Persons',
      { LastName: 'Lee', Email: 'root@localhost', TimeZone: 'America/Argentina/Ushuaia' },
    ],
    ['Persons', { LastName: 'Lee', Email: 'info@müller.example', TimeZone: 'Europe/Kyiv' }],
    ['MaintenanceContracts', { Name: 'Free', Price: { Amount: 0, Currency: 'EUR' } }],
  ])('in %s: %j', async (set, body) => {
    expect((await desk.send('POST', `/${set}`, { body })).status).toBe(201);
  });
});
