/**
 * The screens. `app/commands.ts` finds what the features draw, so that the state imports no screen.
 */
import { FlaskConical, Inbox, Server, Settings, Webhook, Workflow } from 'lucide-react'
import { sandboxObjectKindSchema } from '../shared/model/sandbox.ts'

type At<Name extends string> = { readonly [N in Name]?: string | undefined }

/** Dialogs that are part of the address, each with its subject's ID: `?replays=ID`. */
export const addressedDialogs = ['replays'] as const

/**
 * Screens by name. `paths`: addresses, with `:name` for a parameter. `words`: its values. `query`:
 * parameters after the path, kept when the path changes. `start`: parameters of an empty path.
 * `place`: in the navigation, or the screen that it is part of. `isOtherPage`: whether a change of
 * address is a step of the history.
 */
export const screens = {
  deliveries: {
    title: 'Deliveries',
    keys: ['g d'],
    place: { at: 'top', Icon: Inbox },
    paths: ['', ':id', ':id/:tab'],
    words: {
      tab: ['overview', 'signature', 'body', 'headers', 'history', 'raw'],
    },
    query: ['q', 'sort'],
    isOtherPage: (from: At<'id'>, to: At<'id'>) =>
      (from.id === undefined) !== (to.id === undefined),
  },
  handlers: {
    title: 'Handlers',
    keys: ['g e'],
    place: { at: 'top', Icon: Server },
    paths: ['', ':name'],
    words: {},
  },
  forward: {
    title: 'Forwarding',
    keys: ['g w'],
    place: 'handlers',
    paths: ['', ':id'],
    words: {},
  },
  check: {
    title: 'Check',
    keys: ['g k'],
    place: 'handlers',
    paths: ['', ':form', 'runs/:run', 'runs/:run/cases/:case'],
    words: { form: ['new'] },
    isOtherPage: (from: At<'form' | 'run'>, to: At<'form' | 'run'>) =>
      from.form !== to.form || (from.run !== undefined && from.run !== to.run),
  },
  hooks: {
    title: 'Hooks',
    keys: ['g h'],
    place: { at: 'top', Icon: Webhook },
    paths: ['', ':id'],
    words: {},
  },
  flows: {
    title: 'Flows',
    keys: ['g f'],
    place: { at: 'top', Icon: Workflow },
    paths: [
      '',
      ':flow',
      ':flow/runs/:run',
      ':flow/steps/:step',
      ':flow/runs/:run/steps/:step',
      // A file, which the page can't reopen by itself.
      'files/:file',
      'files/:file/runs/:run',
      'files/:file/steps/:step',
      'files/:file/runs/:run/steps/:step',
    ],
    words: {},
    // The latest run is shown without being asked for.
    isOtherPage: (from: At<'flow' | 'file' | 'run'>, to: At<'flow' | 'file' | 'run'>) =>
      from.flow !== to.flow ||
      from.file !== to.file ||
      (from.run !== undefined && from.run !== to.run),
  },
  sandbox: {
    title: 'Sandbox',
    keys: ['g s'],
    place: { at: 'top', Icon: FlaskConical },
    paths: [
      ':view',
      ':view/:kind',
      ':view/:kind/:id',
      ':view/:id',
      ':mode',
      ':mode/:view',
      ':mode/:view/:kind',
      ':mode/:view/:kind/:id',
      ':mode/:view/:id',
    ],
    words: {
      mode: ['live'],
      view: ['trigger', 'objects', 'log'],
      kind: sandboxObjectKindSchema.options,
    },
    start: { view: 'trigger' },
    isOtherPage: (from: At<'view'>, to: At<'view'>) => from.view !== to.view,
  },
  compare: {
    title: 'Compare',
    keys: ['g c'],
    place: 'deliveries',
    paths: ['', ':left/:right', ':left/:right/:tab'],
    words: { tab: ['structure', 'text', 'headers', 'signature'] },
  },
  settings: {
    title: 'Settings',
    keys: ['g ,', 'Mod+,'],
    place: { at: 'bottom', Icon: Settings },
    paths: [':section'],
    words: {
      section: [
        'environments',
        'receiver',
        'handlers',
        'appearance',
        'keyboard',
        'desktop',
        'secrets',
        'safety',
        'storage',
        'retention',
        'transfer',
        'remote',
        'about',
      ],
    },
    start: { section: 'environments' },
  },
} as const

export type Screen = keyof typeof screens

export const screenNames = Object.keys(screens) as readonly Screen[]
