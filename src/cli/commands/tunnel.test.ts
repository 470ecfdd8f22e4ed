import { expect, test } from 'vitest'
import type { Hook } from '../../shared/model/hook.ts'
import { repointNotes } from './tunnel.ts'

const FROM = 'https://one.example'
const hookAt = (url: string, status = 'active') => ({ url, status }) as Hook
const hooks = [
  hookAt(`${FROM}/h/a`),
  hookAt(FROM),
  hookAt(`${FROM}/h/b`, 'deleted'),
  hookAt('https://one.example.org/h/c'),
]

test('counts hooks on an earlier URL and shows how to move them', () => {
  expect(repointNotes([FROM, 'https://nobody.example'], 'https://two.example', hooks)).toEqual([
    `2 hooks still point to ${FROM}, which is no longer the public URL. Move them: countersign hooks repoint ${FROM} https://two.example`,
  ])
})

test('without a public URL, says that the old one no longer works and what to do first', () => {
  const [note] = repointNotes([FROM], null, hooks)
  expect(note).toContain(`2 hooks still point to ${FROM}, which no longer works.`)
  expect(note).toContain('countersign tunnel use URL')
})
