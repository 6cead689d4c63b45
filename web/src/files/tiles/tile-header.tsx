import { filesTexts } from '../../texts/files.ts'
import type { SortField } from '../entries/entry-order.ts'
import { SelectAll, SortButton, type SortProps, sortLabels } from '../grid/sort-controls.tsx'
import classes from './tiles.module.css'

const fields = Object.keys(sortLabels) as readonly SortField[]

/** The same controls as in the header of the list: select all, and the order. */
export function TileHeader(props: SortProps) {
  return (
    <fieldset className={classes.head} aria-label={filesTexts.orderAndSelection}>
      <SelectAll {...props} />
      {fields.map((field) => (
        <SortButton
          key={field}
          field={field}
          sort={props.sort}
          onSort={props.onSort}
          className={classes.sort}
          isToggle
        />
      ))}
    </fieldset>
  )
}
