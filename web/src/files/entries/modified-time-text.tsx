import { modifiedParts } from './modified-time.ts'
import classes from './modified-time-text.module.css'

/** When a file changed, in a column of the list. On the narrowest screens the date alone, which is not cut. */
export function ModifiedTimeText({ atMs }: { readonly atMs: number }) {
  const [date, time] = modifiedParts(atMs)
  return (
    <>
      {date}
      <span className={classes.time}>{time}</span>
    </>
  )
}
