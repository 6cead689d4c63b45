import { NativeSelect, SegmentedControl } from '@mantine/core'
import { filesTexts } from '../../texts/files.ts'
import { type FilesLocation, isView } from '../files-location.ts'
import { filterChoices } from './entry-filter.ts'
import classes from './search.module.css'

interface SearchBarProps {
  readonly location: FilesLocation
  readonly onChange: (change: Partial<FilesLocation>) => void
}

const labels = filesTexts.filter
const names = Object.keys(labels) as readonly (keyof typeof labels)[]

/** Where to search, and what the results must be. */
export function SearchBar({ location, onChange }: SearchBarProps) {
  const { bucket = '', scope = 'here', filter } = location
  const places = [
    ...(bucket === ''
      ? []
      : [
          { value: 'here', label: filesTexts.where.here },
          { value: 'below', label: filesTexts.where.below, disabled: filter.trim() === '' },
        ]),
    { value: 'all', label: filesTexts.where.all, disabled: filter.trim() === '' },
  ]
  return (
    <div className={classes.bar}>
      {!isView(scope) && (
        <SegmentedControl
          size="xs"
          aria-label={filesTexts.where.label}
          data={places}
          value={scope}
          onChange={(value) =>
            onChange({ scope: value === 'below' || value === 'all' ? value : undefined })
          }
        />
      )}
      <div className={classes.filters}>
        {names.map((name) => (
          <NativeSelect
            key={name}
            size="xs"
            aria-label={labels[name]}
            data={filterChoices[name].map(([value, label]) => ({ value, label }))}
            value={location[name] ?? ''}
            onChange={(event) => onChange({ [name]: event.currentTarget.value || undefined })}
          />
        ))}
      </div>
    </div>
  )
}
