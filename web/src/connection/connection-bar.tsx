import { frameTexts } from '../texts/frame.ts'
import classes from './connection-bar.module.css'
import { useConnection, useConnectionWatch } from './use-connection.ts'

/** Shows on every page that the service does not respond. */
export function ConnectionBar() {
  useConnectionWatch()
  const isLost = useConnection() === 'lost'
  return (
    // Always rendered, so that screen readers announce its text.
    <div role="status" className={classes.place} data-connection-lost={isLost || undefined}>
      {isLost && <div className={classes.bar}>{frameTexts.notConnected}</div>}
    </div>
  )
}
