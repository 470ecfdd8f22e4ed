/**
 * All problems of a page: console errors, uncaught exceptions, content policy violations and failed
 * requests. Read over Chromium's debugging protocol, which also reports earlier events, and works
 * the same on every host.
 */
import { expect, type CDPSession, type Page } from '@playwright/test'

export interface PageProblems {
  read(): Promise<readonly string[]>
}

interface RemoteObject {
  readonly value?: unknown
  readonly description?: string
}

const textOf = ({ value, description }: RemoteObject) => description ?? String(value)

/** Collects into `found` what the session reports from now on, and what it kept from before. */
async function collect(session: CDPSession, found: string[]): Promise<void> {
  session.on('Runtime.consoleAPICalled', ({ type, args }) => {
    if (type === 'error' || type === 'assert')
      found.push(`console.${type}: ${args.map(textOf).join(' ')}`)
  })
  session.on('Runtime.exceptionThrown', ({ exceptionDetails: { text, exception } }) => {
    found.push(`exception: ${exception === undefined ? text : textOf(exception)}`)
  })
  session.on('Log.entryAdded', ({ entry: { level, source, text, url } }) => {
    if (level === 'error') found.push(`${source}: ${text} ${url ?? ''}`.trimEnd())
  })
  session.on('Audits.issueAdded', ({ issue: { details } }) => {
    const violation = details.contentSecurityPolicyIssueDetails
    if (violation === undefined) return
    const {
      violatedDirective,
      contentSecurityPolicyViolationType,
      blockedURL,
      sourceCodeLocation,
    } = violation
    found.push(
      `content policy: ${violatedDirective} ${contentSecurityPolicyViolationType} ${blockedURL ?? sourceCodeLocation?.url ?? ''}`,
    )
  })
  for (const domain of ['Runtime', 'Log', 'Audits'] as const) await session.send(`${domain}.enable`)
}

/** Watches a page, which may already have loaded. */
export async function watchPage(page: Page): Promise<PageProblems> {
  const found: string[] = []
  const session = await page.context().newCDPSession(page)
  await collect(session, found)
  return {
    async read() {
      // The response follows everything reported before it. A closed page reports nothing more.
      await session.send('Runtime.evaluate', { expression: '0' }).catch(() => null)
      return found
    },
  }
}

export interface ProblemWatch {
  watch(page: Page): Promise<void>
  /** Expects a console error, policy violation or failed request that the test causes. */
  provokes(...problems: readonly RegExp[]): void
  expectNoOthers(): Promise<void>
}

export function createProblemWatch(): ProblemWatch {
  const pages: PageProblems[] = []
  const provoked: RegExp[] = []
  return {
    async watch(page) {
      pages.push(await watchPage(page))
    },
    provokes(...problems) {
      provoked.push(...problems)
    },
    async expectNoOthers() {
      const problems = (await Promise.all(pages.map((page) => page.read()))).flat()
      const others = problems.filter(
        (problem) => !provoked.some((pattern) => pattern.test(problem)),
      )
      expect(others, 'console errors, policy violations and failed requests of the page').toEqual(
        [],
      )
    },
  }
}
