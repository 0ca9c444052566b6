// This file joins the texts of all areas.
import type { Messages } from '../en/index.ts';
import { account } from './account.ts';
import { admin } from './admin.ts';
import { app } from './app.ts';
import { bulk } from './bulk.ts';
import { chart } from './chart.ts';
import { common } from './common.ts';
import { dashboard } from './dashboard.ts';
import { explore } from './explore.ts';
import { inputs } from './inputs.ts';
import { list } from './list.ts';
import { model } from './model.ts';
import { palette } from './palette.ts';
import { portal } from './portal.ts';
import { query } from './query.ts';
import { record } from './record.ts';
import { view } from './view.ts';
import { webhook } from './webhook.ts';
import { word } from './word.ts';

export const messages: Messages = {
  ...account,
  ...admin,
  ...app,
  ...bulk,
  ...chart,
  ...common,
  ...dashboard,
  ...explore,
  ...inputs,
  ...list,
  ...model,
  ...palette,
  ...portal,
  ...query,
  ...record,
  ...view,
  ...webhook,
  ...word,
};
