/** Columns of the list of objects. */
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import type { ListColumn } from '../../ui/list.tsx'
import { exactTime } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { fieldText, objectLine, objectState } from './catalogue.ts'

const tones = { good: 'text-ok', waiting: 'text-warn', quiet: 'text-muted' } as const

export const objectColumns: readonly ListColumn<SandboxObject>[] = [
  {
    name: 'Object',
    className: 'min-w-0 flex-1',
    cell: (object) => <span title={objectLine(object)}>{objectLine(object, false)}</span>,
  },
  {
    name: 'State',
    className: 'w-[148px] shrink-0 @max-[400px]:w-20',
    cell(object) {
      const { word, tone } = objectState(object)
      return (
        <span title={word} className={tones[tone]}>
          {word}
        </span>
      )
    },
  },
  {
    name: 'Created',
    className: 'w-[124px] shrink-0 @max-[560px]:hidden',
    cell(object) {
      const time = fieldText(object, 'created')
      return (
        <span className="data text-muted" title={time === '' ? undefined : exactTime(time)}>
          {time.slice(0, 16).replace('T', ' ')}
        </span>
      )
    },
  },
  {
    name: 'ID',
    className: 'w-[84px] shrink-0 @max-[460px]:hidden',
    cell: ({ id }) => (
      <span className="data text-subtle" title={id}>
        {visibleText(shortIdOf(id))}
      </span>
    ),
  },
]
