import classes from './connection-bar.module.css'
import { useConnection, useConnectionWatch } from './use-connection.ts'

/** Says on every page that the service does not respond. */
export function ConnectionBar() {
  useConnectionWatch()
  const isLost = useConnection() === 'lost'
  return (
    // Always there, so that screen readers announce what it says.
    <div role="status" className={classes.place} data-connection-lost={isLost || undefined}>
      {isLost && <div className={classes.bar}>Not connected, trying again</div>}
    </div>
  )
}
