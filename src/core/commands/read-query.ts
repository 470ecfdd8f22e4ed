/** Reads the queries of commands, all by the same rules: at the current time, with the hooks by name, and without flow runs unless named. */
import { listQuery, readIdentifiedQuery, readQuery } from '../../shared/query/parse.ts'
import type { Query } from '../../shared/query/query.ts'
import type { Services } from './services.ts'

type Surroundings = Pick<Services, 'hooks' | 'now'>

const surroundingsOf = ({ hooks, now }: Surroundings) => ({ now: now(), hooks: hooks.list() })

/** For lists: `event:` also matches possible events. Throws `INVALID_QUERY`. */
export function readListQuery(services: Surroundings, text = ''): Query {
  return listQuery(text, readQuery(text, surroundingsOf(services)))
}

/** For actions on every match: a plain `event:` matches identified events only. Throws `INVALID_QUERY`. */
export function readActionQuery(services: Surroundings, text = ''): Query {
  return listQuery(text, readIdentifiedQuery(text, surroundingsOf(services)))
}
