/** The settings of a section or a search, row by row. */
import { Fragment } from 'react'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Message } from '../../ui/message.tsx'
import type { Setting } from './setting-list.tsx'
import { sections } from './section-list.tsx'

export function SettingGroups({
  settings,
  search,
}: {
  readonly settings: readonly Setting[]
  readonly search: string
}) {
  const titleOf = ({ section, group }: Setting) =>
    search === '' ? (group ?? '') : sections[section].name
  // A section with one setting has its name already.
  const isOnly = settings.length === 1 && search === ''
  return settings.map((setting, index) => {
    const title = titleOf(setting)
    const before = settings[index - 1]
    const isNew = before === undefined || titleOf(before) !== title
    return (
      <Fragment key={`${setting.section} ${setting.group} ${setting.name}`}>
        {isNew && title !== '' && (
          <h3 className="mt-6 mb-1 text-small font-medium text-subtle">{title}</h3>
        )}
        <SettingRow setting={setting} search={search} isOnly={isOnly} />
      </Fragment>
    )
  })
}

/** Shows a setting in two columns, name and value, or with its value below across both. */
function SettingRow({
  setting: { name, hint, cli, isWide = false, control, below },
  search,
  isOnly,
}: {
  readonly setting: Setting
  readonly search: string
  readonly isOnly: boolean
}) {
  const words = (
    <>
      {hint !== undefined && (
        <p className="text-small text-muted wrap-anywhere">
          <Marked text={hint} search={search} />
        </p>
      )}
      {search !== '' && (
        <p className="font-mono text-tiny text-subtle wrap-anywhere">
          <Marked text={cli} search={search} />
        </p>
      )}
    </>
  )
  return (
    <div role="group" aria-label={name} className="border-b border-line/60 py-3 last:border-b-0">
      <div
        className={
          isWide
            ? 'flex flex-col gap-2'
            : 'grid grid-cols-[200px_minmax(0,1fr)] gap-x-6 gap-y-1 @max-[560px]:grid-cols-1'
        }
      >
        <p className={isWide && isOnly ? 'sr-only' : 'leading-7 font-medium'}>
          <Marked text={name} search={search} />
        </p>
        {isWide && words}
        <div className="flex min-w-0 flex-col gap-1">
          {control !== null && <div className="min-h-7 min-w-0">{control}</div>}
          {!isWide && words}
        </div>
      </div>
      {below !== undefined && <div className="mt-4">{below}</div>}
    </div>
  )
}

function Marked({ text, search }: { readonly text: string; readonly search: string }) {
  const words = search.split(/\s+/).filter(Boolean)
  if (words.length === 0) return text
  const pattern = new RegExp(
    `(${words.map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|')})`,
    'gi',
  )
  return text.split(pattern).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <mark key={index} className="rounded-xs bg-accent/30 text-text">
        {part}
      </mark>
    ),
  )
}

export function NoMatches() {
  const { setSearch, openOverlay } = useAppParts((state) => ({
    setSearch: state.settings.setSearch,
    openOverlay: state.navigation.openOverlay,
  }))
  return (
    <div className="pt-12">
      <Message
        title="No settings found"
        action={
          <>
            <Button kind="primary" onClick={() => setSearch('')}>
              Clear search
            </Button>
            <Button onClick={() => openOverlay('palette')}>Search commands…</Button>
          </>
        }
      >
        Try fewer words, an option without its dashes, or a key such as F6. Hooks and saved views
        have their own screens.
      </Message>
    </div>
  )
}
