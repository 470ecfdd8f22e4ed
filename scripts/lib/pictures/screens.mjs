/** Opens each screen: by its address, or by the key and buttons that a user presses. */

const at = (address) => async (page) => {
  await page.evaluate((hash) => (location.hash = hash), `#/${address}`)
  await page.waitForTimeout(400)
}

const pressing =
  (address, ...keys) =>
  async (page) => {
    await at(address)(page)
    for (const key of keys) await page.keyboard.press(key)
    await page.waitForTimeout(500)
  }

/** Opens a dialog by a button of the screen's main part. */
const clicking = (address, name) => async (page) => {
  await at(address)(page)
  await page.getByRole('main').getByRole('button', { name }).first().click()
  await page.waitForTimeout(300)
}

/** Screens that show something in a folder without data, too. */
export const emptyScreens = {
  deliveries: at('deliveries'),
  handlers: at('handlers'),
  hooks: at('hooks'),
  flows: at('flows'),
  flow: at('flows/purchase-visa'),
  sandbox: at('sandbox/trigger'),
  objects: at('sandbox/objects'),
  log: at('sandbox/log'),
  check: at('check'),
  compare: at('compare'),
  replays: at('deliveries?replays'),
  settings: at('settings/environments'),
}

/** Screens of an app that loads nothing: two deliveries are compared that it can't read. */
export const unreadScreens = {
  ...emptyScreens,
  compare: at('compare/01a22ad0-575c-7009-8e6c-d3700cee450c/01a22ad0-575c-7009-8e6c-d3700cee450d'),
}

const delivery = (name, id) => ({
  [name]: at(`deliveries/${id}/overview`),
  [`${name}-signature`]: at(`deliveries/${id}/signature`),
  [`${name}-body`]: at(`deliveries/${id}/body`),
  [`${name}-headers`]: at(`deliveries/${id}/headers`),
  [`${name}-history`]: at(`deliveries/${id}/history`),
  [`${name}-raw`]: at(`deliveries/${id}/raw`),
  [`${name}-composer`]: pressing(`deliveries/${id}/overview`, 'Shift+R'),
})

/** Runs a command that prints one JSON object per line. */
const listOf = async (app, command) =>
  (await app.run(`${command} --json`))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const newestOf = (app, query) => listOf(app, `deliveries ${query} --limit 2`)

async function handlerScreens(app) {
  const handlers = await listOf(app, 'handlers list')
  return Object.fromEntries(
    handlers.map(({ name }) => [`handler-${name.slice(0, 8)}`, at(`handlers/${name}`)]),
  )
}

/** Screens of a folder with deliveries, handlers and a check. */
export async function deliveryScreens(app) {
  const [first, second] = await newestOf(app, 'event:transaction.clearing.qualified')
  const [newestReplay] = await listOf(app, 'replay --list')
  return {
    ...emptyScreens,
    ...delivery('delivery', first.id),
    ...(await handlerScreens(app)),
    replays: at(`deliveries?replays=${newestReplay.id}`),
    compare: at(`compare/${first.id}/${second.id}`),
  }
}

/** Screens of a full folder. */
export async function screensOf(app) {
  const [invalid] = await newestOf(app, 'verdict:invalid')
  const [stale] = await newestOf(app, 'freshness:stale')
  return {
    ...(await deliveryScreens(app)),
    ...delivery('invalid', invalid.id),
    stale: at(`deliveries/${stale.id}/overview`),
    sorted: at('deliveries?sort=amount'),
    statistics: clicking('deliveries', 'Statistics'),
    receiver: at('settings/receiver'),
    safety: at('settings/safety'),
    storage: at('settings/storage'),
    keyboard: at('settings/keyboard'),
    about: at('settings/about'),
  }
}

/** Dialogs and the palette. */
export const dialogs = {
  palette: pressing('deliveries', 'Control+k'),
  'add-handler': clicking('handlers', 'Add handler'),
  'new-check': at('check/new'),
  'new-hook': clicking('hooks', /^(New|Add|Register) hook/),
  'new-environment': clicking('settings/environments', 'Add environment'),
}
