import type { TestContext } from 'node:test'
import type { Action } from '../../src/storage/access/authorize.ts'
import { type GatewayInProcess, startGatewayInProcess } from './gateway-in-process.ts'
import { dashboardPassword, ManagementClient } from './management-client.ts'

/** Starts a gateway like AWS, and makes access keys for it. */
export async function startForKeys(t: TestContext, settings: Readonly<Record<string, string>>) {
  const gateway = await startGatewayInProcess(t, {
    ...{ COMPATIBILITY: 'aws', BUCKET_CREATION: 'on', DASHBOARD_PASSWORD: dashboardPassword },
    ...settings,
  })
  const management = await ManagementClient.signIn(gateway.url)
  return {
    gateway,
    /** Makes a key with these rights to all buckets, and returns the gateway as its holder sees it. */
    async holder(...actions: readonly Action[]): Promise<GatewayInProcess> {
      const grants = [{ bucket: '*', prefix: '', actions }]
      const { key, secretKey } = await management.done('POST', '/keys', { name: 'app', grants })
      const { region } = gateway.credentials
      return { ...gateway, credentials: { accessKey: key.accessKeyId, secretKey, region } }
    },
  }
}
