/**
 * Pages whose calls to the core never end, or all fail. The window's connection in a browser is a
 * WebSocket, which Playwright can change.
 */

/**
 * Opens a page; messages from the core pass through `change`, with the command they answer; null
 * holds one.
 */
async function openThrough(app, browser, change) {
  const page = await app.open(browser)
  await page.routeWebSocket(/\/rpc$/, (route) => {
    const core = route.connectToServer()
    const commands = new Map()
    route.onMessage((text) => {
      const { id, command } = JSON.parse(String(text))
      commands.set(id, command)
      core.send(text)
    })
    core.onMessage((text) => {
      const answer = JSON.parse(String(text))
      const message = change(answer, commands.get(answer.id))
      if (message !== null) route.send(JSON.stringify(message))
    })
  })
  await page.reload()
  await page.locator('body *').first().waitFor()
  return page
}

const isAnswer = (message) => Object.hasOwn(message, 'ok')

/** Opens a page on which everything loads and nothing arrives. */
export const holdAnswers = (app, browser) =>
  openThrough(app, browser, (message) => (isAnswer(message) ? null : message))

/** Opens a page on which every call fails, but for the status, which needs no database. */
export const breakAnswers = (app, browser) =>
  openThrough(app, browser, (message, command) =>
    isAnswer(message) && command !== 'app.status'
      ? {
          ...message,
          ok: false,
          output: null,
          error: { code: 'INTERNAL', message: 'The database is busy. Try again in a moment.' },
        }
      : message,
  )
