import type { RefusalTexts } from '../en/refusals.ts'

/** Messages of https://zod.dev, and those of rules beyond it. */
const ofSchemas = {
  'Too small: expected string to have >=1 characters': 'Geben Sie etwas ein.',
  'Too small: expected string to have >={n} characters': 'Mindestens {n} Zeichen.',
  'Too big: expected string to have <={n} characters': 'Höchstens {n} Zeichen.',
  'Too small: expected {kind} to be >={n}': 'Mindestens {n}.',
  'Too big: expected {kind} to be <={n}': 'Höchstens {n}.',
  'Too small: expected array to have >={n} items': 'Wählen Sie mindestens {n}.',
  'Too big: expected array to have <={n} items': 'Wählen Sie höchstens {n}.',
  'Invalid input: expected int, received {kind}': 'Geben Sie eine ganze Zahl ein.',
  'Invalid input: expected number, received {kind}': 'Geben Sie eine Zahl ein.',
  'Invalid option: expected one of {options}': 'Wählen Sie eines von {options}.',
  'Invalid string: must match pattern {pattern}': 'Das hat nicht die erwartete Form.',
  'Invalid ISO datetime': 'Das ist kein Datum mit Uhrzeit.',
  'The request does not match the schema.': 'Die Anfrage hat nicht die erwartete Form.',
  'Unknown field.': 'Dieses Feld gibt es nicht.',
  'expected text without control characters': 'Steuerzeichen sind nicht erlaubt.',
  'expected text without control characters or broken surrogates':
    'Steuerzeichen sind nicht erlaubt.',
  'expected valid Unicode': 'Der Text enthält ungültige Zeichen.',
  'Expected valid Unicode.': 'Der Text enthält ungültige Zeichen.',
  'expected non-blank text': 'Geben Sie etwas ein.',
  'expected no slash': 'Ein Schrägstrich ist nicht erlaubt.',
  'expected text without slashes or white space':
    'Schrägstriche und Leerzeichen sind nicht erlaubt.',
  'expected a prefix without slashes': 'Schrägstriche sind nicht erlaubt.',
  'expected only letters, digits, and the characters _ . -':
    'Nur Buchstaben, Ziffern und die Zeichen _ . - sind erlaubt.',
  'expected each name only once': 'Jeder Name darf nur einmal vorkommen.',
  'Expected no space at the beginning or the end.':
    'Leerzeichen am Anfang oder Ende sind nicht erlaubt.',
}

/** Of work on files, and of links. */
const ofFiles = {
  'At most {n} jobs can run at once. Wait for one, or stop one.':
    'Höchstens {n} Aufträge können gleichzeitig laufen. Warten Sie, bis einer fertig ist, oder halten Sie einen an.',
  'At most {n} folders can be counted at once. Wait for a count to finish, or stop one.':
    'Höchstens {n} Ordner können gleichzeitig gezählt werden. Warten Sie, bis einer fertig ist, oder halten Sie eine Zählung an.',
  'The bucket {bucket} is read-only (READ_ONLY).':
    'Der Bucket {bucket} ist schreibgeschützt (READ_ONLY).',
  'Expected one of the buckets {buckets}{more}.':
    'Diesen Bucket gibt es nicht. Es gibt {buckets}{more}.',
  'The resulting path would be longer than 1,024 bytes.': 'Der neue Pfad wäre zu lang.',
  'The new path is longer than 1,024 bytes.': 'Der neue Pfad ist zu lang.',
  'A folder cannot be moved or copied into itself.':
    'Ein Ordner lässt sich nicht in sich selbst verschieben oder kopieren.',
  'The new paths are longer than 16 MiB in total. Choose fewer paths.':
    'Die neuen Pfade sind zusammen zu lang. Wählen Sie weniger aus.',
  'The quota of the bucket {bucket} is {n} bytes: {more} more bytes would exceed it.':
    'Die Speichergrenze des Buckets {bucket} ist erreicht.',
  'It no longer exists.': 'Es existiert nicht mehr.',
  'The object no longer exists.': 'Die Datei gibt es nicht mehr.',
  'The object was replaced.': 'Die Datei wurde ersetzt.',
  'An object with this name exists there.': 'Dort gibt es schon eine Datei dieses Namens.',
  'It was being written at the same time.': 'Die Datei wurde gerade geschrieben.',
  'It was written after the copy.': 'Die Datei wurde erst nach dem Kopieren geschrieben.',
  'The folder contains a folder with the same name. Rename that one first.':
    'Der Ordner enthält einen gleichnamigen Ordner. Benennen Sie zuerst diesen um.',
  'The empty folder {folder} remains. Remove it on the drive.':
    'Der leere Ordner {folder} bleibt. Entfernen Sie ihn auf dem Laufwerk.',
  'Versioning was suspended meanwhile. Delete the rest again.':
    'Inzwischen wurden die Versionen ausgesetzt. Löschen Sie den Rest noch einmal.',
  'Object Lock keeps {n} of the versions.': 'Object Lock behält {n} der Versionen.',
  'The gateway ended {n} times while it worked on this. Look for the reason in its log.':
    'Das Gateway wurde bei dieser Arbeit {n}-mal beendet. Der Grund steht im Protokoll.',
  'The service was stopped.': 'Der Dienst wurde beendet.',
  'The {work} failed. See the service log.':
    'Die Arbeit ist gescheitert. Der Grund steht im Protokoll.',
  'The process that ran the {work} has ended.': 'Der Prozess, der daran arbeitete, wurde beendet.',
  'The drive did not respond in time.': 'Das Laufwerk hat nicht rechtzeitig geantwortet.',
  'The drive does not respond. See the service log.':
    'Das Laufwerk antwortet nicht. Der Grund steht im Protokoll.',
  'The drive denied the request. The service log has the reason.':
    'Das Laufwerk hat das abgelehnt. Der Grund steht im Protokoll.',
  'The drive does not accept this key.': 'Das Laufwerk nimmt diesen Namen nicht an.',
  'The drive is not available. Try again later.':
    'Das Laufwerk ist nicht erreichbar. Versuchen Sie es später erneut.',
  'The drive does not support this. The service log has the reason.':
    'Das Laufwerk kann das nicht. Der Grund steht im Protokoll.',
  'The database with the ETags and parts of objects is not responding.':
    'Die Datenbank des Gateways antwortet nicht.',
  'Your proposed upload exceeds the maximum allowed size.': 'Die Datei ist zu groß.',
  'Your metadata headers exceed the maximum allowed metadata size.':
    'Die Metadaten sind zusammen zu lang.',
  'The bucket you tried to delete is not empty.': 'Der Bucket ist nicht leer.',
  'Too many folders are being downloaded. Try again later.':
    'Es werden schon zu viele Ordner heruntergeladen. Versuchen Sie es später erneut.',
  'Too many folders are being listed. Try again later.':
    'Es werden schon zu viele Ordner gelesen. Versuchen Sie es später erneut.',
  'Too many searches are running. Try again later.':
    'Es laufen schon zu viele Suchen. Versuchen Sie es später erneut.',
  'This download has expired. Start it again in the dashboard.':
    'Dieser Download ist abgelaufen. Starten Sie ihn im Dashboard neu.',
  'There are already {n} shares. Ended shares are removed after 30 days.':
    'Es gibt schon {n} Links. Beendete werden nach 30 Tagen entfernt.',
  'This access key is not allowed to {rights} there.':
    'Dieser App-Schlüssel hat dort nicht die nötigen Rechte ({rights}).',
  'Access keys cannot be checked at the moment.':
    'App-Schlüssel können gerade nicht geprüft werden.',
  'Access key {key}, which created this share, no longer has this permission.':
    'Der App-Schlüssel {key}, der diesen Link erstellt hat, hat dieses Recht nicht mehr.',
  'Too many failed logins. Try again in {n} minute{s}.':
    'Zu viele fehlgeschlagene Anmeldungen. Versuchen Sie es in {n} Min. erneut.',
  'The session does not exist or has expired. Sign in again.':
    'Die Sitzung ist beendet. Melden Sie sich neu an.',
}

/** Of the settings of buckets and of app keys. */
const ofSettings = {
  'Expected at most 1,024 bytes.': 'Das ist zu lang.',
  'Expected at most 64 KiB.': 'Die Regeln sind zusammen zu lang.',
  'Expected at most 128 KiB.': 'Die Website hat zu viele Angaben.',
  'Expected at most one *.': 'Höchstens ein * ist erlaubt.',
  'Expected an origin such as https://app.example, without a path, or *.':
    'Eine Herkunft wie https://app.example ohne Pfad, oder *, wird erwartet.',
  'Expected the name of a header.': 'Der Name eines Headers wird erwartet.',
  'Expected letters, digits, spaces and _ . : / = + - @.':
    'Nur Buchstaben, Ziffern, Leerzeichen und _ . : / = + - @ sind erlaubt.',
  'Expected at most 50 tags.': 'Höchstens 50 Tags sind erlaubt.',
  'Expected no tag whose name begins with aws:.': 'Namen von Tags dürfen nicht mit aws: beginnen.',
  'Expected a host name, with an optional port.':
    'Ein Hostname wird erwartet, wenn nötig mit Port.',
  'Expected a name without a slash.': 'Ein Name ohne Schrägstrich wird erwartet.',
  'Expected newPrefix, key, host, protocol or code.': 'Wohin wird weitergeleitet?',
  'Expected days, date, abortUploadsDays, noncurrentDays or expiresMarkers.':
    'Geben Sie an, wann gelöscht wird.',
  'Two rules send the same event to the same target.':
    'Zwei Regeln senden dasselbe Ereignis an denselben Empfänger.',
  'The gateway has no receiver {receiver}: set {setting} at startup.':
    'Das Gateway hat keinen Empfänger {receiver}: Setzen Sie {setting} beim Start.',
  'There are already {n} buckets that were created at run time.':
    'Es gibt schon {n} Buckets, die im laufenden Betrieb angelegt wurden.',
  'This access key is disabled.': 'Dieser App-Schlüssel ist deaktiviert.',
  'This access key has expired.': 'Dieser App-Schlüssel ist abgelaufen.',
  'This access key does not exist.': 'Diesen App-Schlüssel gibt es nicht.',
  'The access key does not exist.': 'Den App-Schlüssel gibt es nicht.',
  'This access key comes from ACCESS_KEYS_FILE: change it there and restart the gateway.':
    'Dieser App-Schlüssel steht in ACCESS_KEYS_FILE: Ändern Sie ihn dort und starten Sie das Gateway neu.',
  'Other requests are changing this access key. Try again.':
    'Dieser App-Schlüssel wird gerade geändert. Versuchen Sie es erneut.',
  'Its secret was encrypted with another SECRET_KEY. Restore SECRET_KEY, or rotate the key.':
    'Sein Secret ist mit einem anderen SECRET_KEY verschlüsselt. Stellen Sie SECRET_KEY wieder her oder ersetzen Sie das Secret.',
  'Expected {min} to {max} characters.': '{min} bis {max} Zeichen werden erwartet.',
  'Expected at most {n} grants.': 'Höchstens {n} Rechte sind erlaubt.',
  'Expected the name of a bucket, or * for all buckets.':
    'Der Name eines Buckets wird erwartet, oder * für alle.',
  'Expected one or more of {actions}.': 'Wählen Sie mindestens ein Recht.',
  'Expected a whole number from 1 to {max}.': 'Eine ganze Zahl von 1 bis {max} wird erwartet.',
}

/** Of model connections and their keys. What a provider answers stays as it is. */
const ofModels = {
  'There are {n} model keys already. Delete one first.':
    'Es gibt schon {n} Modell-Schlüssel. Löschen Sie zuerst einen.',
  'Limit of {n} {what} exceeded.': 'Höchstens {n} sind möglich.',
  'expected the form <alias>/<model id>': 'Die Form Alias/Modell-ID wird erwartet.',
  'expected visible ASCII characters': 'Nur sichtbare ASCII-Zeichen sind erlaubt.',
  'expected an http:// or https:// URL without user name, password and #':
    'Eine Adresse mit http:// oder https:// wird erwartet, ohne Benutzername, Passwort und #.',
  'expected unique values; this one is a duplicate': 'Diesen Wert gibt es schon.',
  'expected the prices of input and output, as numbers':
    'Die Preise von Eingabe und Ausgabe werden als Zahlen erwartet.',
  'The connection has no API key.': 'Die Verbindung hat keinen API-Schlüssel.',
  'The connection has no base URL.': 'Die Verbindung hat keine Basis-URL.',
  'The connection is turned off.': 'Die Verbindung ist ausgeschaltet.',
  'The API key contains characters that are not allowed in an HTTP header.':
    'Der API-Schlüssel enthält Zeichen, die in einem HTTP-Header nicht erlaubt sind.',
  'The base URL is not an http or https URL, or contains a user name or password.':
    'Die Basis-URL ist keine Adresse mit http oder https, oder sie enthält Benutzername oder Passwort.',
  'The upstream did not answer in time.': 'Der Anbieter hat nicht rechtzeitig geantwortet.',
  'The upstream cannot be reached.': 'Der Anbieter ist nicht erreichbar.',
  'The upstream answered with an error.': 'Der Anbieter hat mit einem Fehler geantwortet.',
  'The upstream lists no models.': 'Der Anbieter listet keine Modelle.',
  'The upstream answered with something that is not JSON.':
    'Die Antwort des Anbieters ist kein JSON.',
  'The upstream answered with JSON that contains no list of models.':
    'Die Antwort des Anbieters enthält keine Liste von Modellen.',
  'The response of the upstream is too large.': 'Die Antwort des Anbieters ist zu groß.',
  'The catalogue has no models of this provider.':
    'Der Katalog hat keine Modelle dieses Anbieters.',
  'Aliases are listed only while a connection is active.':
    'Aliasse werden nur aufgelistet, solange eine Verbindung aktiv ist.',
}

export const texts = (): RefusalTexts => ({
  ofService: {
    'Access Denied': 'Der Zugriff ist nicht erlaubt.',
    'At least one of the pre-conditions you specified did not hold.':
      'Die Datei wurde inzwischen geändert.',
    'The specified key does not exist.': 'Die Datei gibt es nicht mehr.',
    'The specified version does not exist.': 'Die Version gibt es nicht mehr.',
    'The specified bucket does not exist.': 'Den Bucket gibt es nicht.',
    'The specified bucket is not valid.': 'Der Name des Buckets ist nicht gültig.',
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.':
      'Der Upload ist nicht mehr offen.',
    'We encountered an internal error. Please try again.':
      'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es erneut; der Grund steht im Protokoll.',
    'Service is unable to handle request.':
      'Der Dienst ist überlastet. Versuchen Sie es gleich noch einmal.',
    'Please reduce your request rate.':
      'Zu viele Anfragen auf einmal. Versuchen Sie es gleich noch einmal.',
    "The difference between the request time and the server's time is too large.":
      'Die Uhr dieses Geräts geht gegenüber der des Servers zu falsch.',
    'The drive has no space left.': 'Auf dem Laufwerk ist kein Platz mehr.',
    'Your key is too long.': 'Der Pfad ist zu lang.',
    'Internal error; see the log of the service.':
      'Im Dienst ist ein Fehler aufgetreten. Der Grund steht im Protokoll.',
    'The database is not responding. Try again later.':
      'Die Datenbank antwortet nicht. Versuchen Sie es später erneut.',
    'The drive does not respond. Try again later.':
      'Das Laufwerk antwortet nicht. Versuchen Sie es später erneut.',
    'The session store does not respond. Try again later.':
      'Der Speicher der Sitzungen antwortet nicht. Versuchen Sie es später erneut.',
    'The password is wrong.': 'Das Passwort ist falsch.',
    'The password is not in bucketry.env: change DASHBOARD_PASSWORD where the gateway is started, and restart it.':
      'Das Passwort steht nicht in bucketry.env: Ändern Sie DASHBOARD_PASSWORD dort, wo das Gateway gestartet wird, und starten Sie es neu.',
    'Wrong password.': 'Falsches Passwort.',
    'The body is too large.': 'Die Anfrage ist zu groß.',
    'Not found.': 'Nicht gefunden.',
    'The bucket does not exist.': 'Den Bucket gibt es nicht.',
    'The bucket already exists, and you own it.': 'Einen Bucket mit diesem Namen gibt es schon.',
    'The drive already has a folder of this name with content. To serve it, add it to ALLOWED_BUCKETS.':
      'Auf dem Laufwerk gibt es schon einen Ordner dieses Namens, der nicht leer ist. Soll er ein Bucket sein, nehmen Sie ihn in ALLOWED_BUCKETS auf.',
    'This bucket is in ALLOWED_BUCKETS: remove it there and restart the gateway.':
      'Dieser Bucket steht in ALLOWED_BUCKETS: Entfernen Sie ihn dort und starten Sie das Gateway neu.',
    'PUBLIC_READ_BUCKETS makes this bucket public: change it there and restart the gateway.':
      'PUBLIC_READ_BUCKETS macht diesen Bucket öffentlich: Ändern Sie es dort und starten Sie das Gateway neu.',
    'Buckets have tags and rules of events only with COMPATIBILITY=aws.':
      'Tags und Ereignis-Regeln haben Buckets nur mit COMPATIBILITY=aws.',
    'Buckets have websites only with WEBSITE_DOMAINS, which is set at startup.':
      'Websites haben Buckets nur mit WEBSITE_DOMAINS, das beim Start festgelegt wird.',
    'Other buckets are being changed. Try again.':
      'Gerade werden andere Buckets geändert. Versuchen Sie es erneut.',
    'Changing the bucket took too long. Try again.':
      'Das Ändern des Buckets hat zu lange gedauert. Versuchen Sie es erneut.',
    'This bucket has no trash: TRASH_DAYS is 0, or its drive has its own trash or none.':
      'Dieser Bucket hat keinen Papierkorb: TRASH_DAYS ist 0, oder sein Laufwerk hat einen eigenen oder keinen.',
    'The object does not exist or has another ETag.':
      'Die Datei gibt es nicht mehr, oder sie wurde geändert.',
    'It is in this folder already.': 'Es liegt schon in diesem Ordner.',
    'There are too many copies of this name. Rename some.':
      'Zu viele Kopien haben diesen Namen. Benennen Sie einige um.',
    'The names are too long in total. Download the folder instead.':
      'Die Namen sind zusammen zu lang. Laden Sie stattdessen den Ordner herunter.',
    'The job does not exist. Jobs that have ended are forgotten after a day.':
      'Den Auftrag gibt es nicht. Beendete Aufträge werden nach einem Tag vergessen.',
    'This job cannot be repeated or undone: it runs, or is not known.':
      'Dieser Auftrag lässt sich nicht wiederholen oder rückgängig machen: Er läuft noch, oder es gibt ihn nicht mehr.',
    'The upload does not exist or is no longer open.': 'Der Upload ist nicht mehr offen.',
    'The share does not exist or is already revoked.':
      'Den Link gibt es nicht, oder er ist schon widerrufen.',
    'The share was changed or revoked at the same time. Try again.':
      'Der Link wurde gleichzeitig geändert oder widerrufen. Versuchen Sie es erneut.',
    'Expected a time in the future.': 'Der Zeitpunkt muss in der Zukunft liegen.',
    'There is no such access key.': 'Diesen App-Schlüssel gibt es nicht.',
    'A grant to manage a bucket cannot have a prefix: it applies to the whole bucket.':
      'Das Recht, einen Bucket zu verwalten, gilt für den ganzen Bucket und kann keinen Anfang haben.',
    'Choose create or write: write allows everything that create does, and also replacing objects.':
      'Wählen Sie Anlegen oder Schreiben: Schreiben erlaubt auch das Ersetzen von Dateien.',
    'The connection does not exist.': 'Die Verbindung gibt es nicht.',
    'The model key does not exist.': 'Den Modell-Schlüssel gibt es nicht.',
    'The key has changed in the meantime. Try again.':
      'Der Schlüssel wurde inzwischen geändert. Versuchen Sie es erneut.',
    'The state has changed since you read it. Read it again.':
      'Die Einstellungen wurden inzwischen geändert. Laden Sie die Seite neu.',
    'Too many concurrent changes. Try again.':
      'Zu viele gleichzeitige Änderungen. Versuchen Sie es erneut.',
    'expected an http:// or https:// URL': 'Eine Adresse mit http:// oder https:// wird erwartet',
    ...ofSchemas,
    ...ofFiles,
    ...ofSettings,
    ...ofModels,
  },
})
