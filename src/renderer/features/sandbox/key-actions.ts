/** What the keys of the sandbox do. */
import { always, press, type RunKey } from '../../state/key-action.ts'
import type { KeyAction } from '../../state/key-map.ts'
import { SEND_ID } from './trigger-live.tsx'

const show = (view: 'trigger' | 'objects' | 'log') =>
  always((state) => {
    state.sandbox.show(view)
  })

export const sandboxKeys = {
  'sandbox-send': (store) => store.getState().sandbox.view === 'trigger' && press(SEND_ID)(store),
  'sandbox-trigger': show('trigger'),
  'sandbox-objects': show('objects'),
  'sandbox-log': show('log'),
} satisfies Partial<Record<KeyAction, RunKey>>
