/** Changes messages between page and core. Only possible in a browser. */
import type { Page, WebSocketRoute } from '@playwright/test'

export const hasWire = (process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback') === 'loopback'

export interface Response {
  kind: string
  id?: number
  ok?: boolean
  output?: {
    store?: Record<string, unknown>
    receiver?: Record<string, unknown>
    sandbox?: string | null
    hooks?: unknown
  } | null
  error?: { code: string; message: string }
}

/** Forwards everything, messages from the core through `change` (null: dropped). */
export async function onTheWire(
  page: Page,
  change: (message: Response) => Response | null | Promise<Response | null>,
): Promise<WebSocketRoute[]> {
  const routes: WebSocketRoute[] = []
  await page.routeWebSocket(/\/rpc$/, (route) => {
    routes.push(route)
    const core = route.connectToServer()
    route.onMessage((text) => {
      core.send(text)
    })
    core.onMessage(async (text) => {
      const message = await change(JSON.parse(String(text)) as Response)
      if (message !== null) route.send(JSON.stringify(message))
    })
  })
  await page.reload()
  return routes
}
