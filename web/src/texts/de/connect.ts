import type { ConnectTexts } from '../en/connect.ts'

export const texts = (): ConnectTexts => ({
  title: 'Verbinden',
  failure: 'Die Verbindungsdaten konnten nicht geladen werden',
  bucket: 'Bucket in den Beispielen',
  secretInEnvironment: 'Der Wert von SECRET_KEY in der Umgebung des Gateways.',
  endpoint: 'Endpunkt',
  secretKey: 'Geheimer Schlüssel',
  madeForAws: 'Für AWS S3 oder MinIO gemacht?',
  madeForAwsText:
    'Programme, die jede Einzelheit von Amazon S3 erwarten, brauchen eine Einstellung, die beim Start gesetzt wird.',
  madeForAwsSetting: 'COMPATIBILITY=aws',
  toPaste: 'Einstellungen zum Einfügen',
  secretText:
    'Der geheime Schlüssel zum Zugriffsschlüssel oben. Er wird unten in die Einstellungen eingesetzt und bleibt auf dieser Seite.',
  showSecret: 'Geheimen Schlüssel anzeigen',
  text: 'Was ein Client braucht, mit Einstellungen zum Einfügen. Legen Sie für eine App einen der <keys>App-Schlüssel</keys> an: Dessen Einstellungen enthalten das Geheimnis.',
  address: 'Adresse',
  region: 'Region',
  accessKey: 'Zugriffsschlüssel',
  key: 'Schlüssel',
  mainKey: 'Hauptschlüssel',
  secretOfApp:
    'Er wurde einmal angezeigt, als der Schlüssel angelegt oder sein Geheimnis ersetzt wurde.',
  secretInFile: (folder) => `SECRET_KEY in ${folder}/bucketry.env, auf dem Server.`,
  clients: {
    shell: 'In einer Shell',
    awsConfig: 'In ~/.aws/config ergänzen, für alle Programme mit einem AWS SDK',
    awsThen: 'Dann, mit aws-cli 1.29, 2.13 oder neuer',
    mc: 'In einer Shell, mit dem MinIO-Client',
    rclone: 'In einer Shell. Ohne no_check_bucket versucht rclone zuerst, den Bucket anzulegen',
    s3cfg: 'Als ~/.s3cfg speichern, oder unter anderem Namen und s3cmd -c verwenden',
    afterwards: 'Dann',
    restic:
      'In einer Shell. restic fragt nach einem Passwort für das Repository, das nicht wiederhergestellt werden kann',
    python: 'Python',
    javaScript: 'JavaScript, mit @aws-sdk/client-s3 Version 3',
    terraform: 'Als main.tf speichern',
    compose:
      'In compose.yaml, für eine App mit einem AWS SDK. $ in einem Wert wird als $$ geschrieben',
    winScp: 'Als Servername einer neuen Verbindung. WinSCP fragt nach dem geheimen Schlüssel',
    cyberduck: 'Als Bucketry.cyberduckprofile speichern und mit einem Doppelklick öffnen',
  },
})
