/** What is said of hooks that a tunnel has left behind. */
import { expect, test } from 'vitest'
import type { Hook } from '../../shared/model/hook.ts'
import { repointNotes } from './tunnel.ts'

const FROM = 'https://one.example'
const hookAt = (url: string, status = 'active') => ({ url, status }) as Hook
const hooks = [hookAt(`${FROM}/h/a`), hookAt(FROM), hookAt(`${FROM}/h/b`, 'deleted'), hookAt('https://one.example.org/h/c')]

test('those that are registered under an earlier address are counted, with how they are moved to the present one', () => {
  expect(repointNotes([FROM, 'https://nobody.example'], 'https://two.example', hooks)).toEqual([
    `2 hooks still point to ${FROM}, which is no longer the public URL. Move them: countersign hooks repoint ${FROM} https://two.example`,
  ])
})

test('where there is no address now, it says that they lead nowhere and what comes first', () => {
  const [note] = repointNotes([FROM], null, hooks)
  expect(note).toContain(`2 hooks still point to ${FROM}, which no longer works.`)
  expect(note).toContain('countersign tunnel use URL')
})
