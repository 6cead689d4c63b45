import { Badge } from '@mantine/core'
import type { FailureStatus } from '../../../../src/console/management/replies.ts'
import { Age } from '../../ui/age.tsx'
import { Row } from '../../ui/row-list.tsx'
import { failureTarget } from './failure-target.ts'
import classes from './failures-section.module.css'

export function FailureRow({ failure }: { readonly failure: FailureStatus }) {
  const { at, requestId, status, code, reason, remoteAddress } = failure
  return (
    <Row
      title={
        <span className={classes.line}>
          <Badge variant="light" color={status >= 500 ? 'red' : 'orange'} tt="none" radius="sm">
            {code === null ? status : `${status} ${code}`}
          </Badge>
          <span>{failureTarget(failure)}</span>
        </span>
      }
      detail={
        <>
          {reason !== null && <div className={classes.reason}>{reason}</div>}
          <Age at={at} /> from {remoteAddress}, request <span translate="no">{requestId}</span>
        </>
      }
    />
  )
}
