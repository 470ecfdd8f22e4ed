import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { appStatusOf, notificationOf } from '../../../../test/support/model-values.ts'
import { LogView } from './log-view.tsx'
import { NotificationDetail } from './notification-detail.tsx'
import { SandboxScreen } from './sandbox-screen.tsx'

test('a running sandbox loads its objects first, and can be reset meanwhile', () => {
  const window = openAskedWindow()
  const status = appStatusOf({ sandbox: 'https://127.0.0.1:1' })
  window.store.setState(({ core }) => ({ core: { ...core, status } }))
  const markup = markupOf(window, createElement(SandboxScreen))
  expect(markup).toContain('aria-label="Loading sandbox"')
  expect(markup).toContain('aria-label="More"')
})

test('an empty log says what will be in it', () => {
  const log = createElement(LogView, { notifications: [] })
  expect(textOf(markupOf(openAskedWindow(), log))).toContain(
    'No deliveries sent in sandbox-test yet Every notification',
  )
})

test('a notification that was not sent says why, and can be sent', async () => {
  const window = openAskedWindow()
  const reason = '0.0.0.0 is a remote host, so nothing was sent. Allow it.'
  const notification = notificationOf({ state: 'not-sent', reason })
  const detail = createElement(NotificationDetail, { notification })
  expect(textOf(markupOf(window, detail))).toContain(
    '1st attempt not sent: 0.0.0.0 is a remote host, so nothing was sent Send…',
  )
  void window.state().sandbox.sendAgain(notification)
  expect(window.core.next('sandbox.send').input).toEqual({ id: notification.id })
})
