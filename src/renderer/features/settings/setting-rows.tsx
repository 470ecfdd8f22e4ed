/** The settings of a section or a search, row by row. */
import { Fragment } from 'react'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { Message } from '../../ui/message.tsx'
import type { Setting } from './setting-list.tsx'
import { sections } from './section-list.tsx'

export function SettingGroups({
  settings,
  isSearching,
}: {
  readonly settings: readonly Setting[]
  readonly isSearching: boolean
}) {
  const titleOf = ({ section, group }: Setting) =>
    isSearching ? sections[section].name : (group ?? '')
  // A section with one setting has its name already.
  const isOnly = settings.length === 1 && !isSearching
  return settings.map((setting, index) => {
    const title = titleOf(setting)
    const before = settings[index - 1]
    const isNew = before === undefined || titleOf(before) !== title
    return (
      <Fragment key={`${setting.section} ${setting.group} ${setting.name}`}>
        {isNew && title !== '' && (
          <h3 className="mt-6 mb-1 text-small font-medium text-subtle">{title}</h3>
        )}
        <SettingRow setting={setting} isSearching={isSearching} isOnly={isOnly} />
      </Fragment>
    )
  })
}

/** Shows a setting in two columns, name and value, or with its value below across both. */
function SettingRow({
  setting: { name, hint, cli, isWide = false, control, below },
  isSearching,
  isOnly,
}: {
  readonly setting: Setting
  readonly isSearching: boolean
  readonly isOnly: boolean
}) {
  return (
    <div role="group" aria-label={name} className="border-b border-line/60 py-3 last:border-b-0">
      <div
        className={
          isWide
            ? ''
            : 'grid grid-cols-[168px_minmax(0,1fr)] gap-x-6 gap-y-1 @max-[460px]:grid-cols-1'
        }
      >
        <p className={isWide && isOnly ? 'sr-only' : 'leading-7 font-medium'}>{name}</p>
        <div className="flex min-w-0 flex-col gap-1">
          {control !== null && <div className="min-h-7 min-w-0">{control}</div>}
          {hint !== undefined && (
            <p className="text-small text-muted wrap-anywhere">
              <QuotedText text={hint} />
            </p>
          )}
          {isSearching && <p className="font-mono text-tiny text-subtle wrap-anywhere">{cli}</p>}
        </div>
      </div>
      {below !== undefined && <div className="mt-4">{below}</div>}
    </div>
  )
}

export function NoMatches() {
  const setSearch = useApp((state) => state.settings.setSearch)
  return (
    <div className="pt-12">
      <Message
        title="No settings found"
        action={
          <Button kind="primary" onClick={() => setSearch('')}>
            Clear search
          </Button>
        }
      >
        Try fewer words, an option without its dashes, or a key such as F6. Hooks and saved views
        have their own screens.
      </Message>
    </div>
  )
}
