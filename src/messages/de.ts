import type { Catalogue } from '../core/errors/index.ts';
import type { ElementTexts } from '../elements/texts.ts';

/** German messages for `userMessage`. */
export const de: Catalogue = {
  OUTCOME_UNKNOWN:
    'Wir wissen noch nicht, ob das ausgeführt wurde. Bitte prüfen Sie es, bevor Sie es noch einmal versuchen.',
  OTHER: 'Das hat nicht geklappt. Versuchen Sie es später noch einmal.',
  NOT_FOUND: 'Das wurde nicht gefunden.',
  INTERNAL_SERVER_ERROR: 'Der Zahlungsdienst hat ein Problem. Versuchen Sie es später noch einmal.',
  BAD_GATEWAY: 'Der Zahlungsdienst ist nicht erreichbar. Versuchen Sie es später noch einmal.',
  MAINTENANCE_MODE: 'Der Zahlungsdienst wird gerade gewartet. Versuchen Sie es später noch einmal.',
  SERVICE_UNAVAILABLE:
    'Der Zahlungsdienst ist gerade nicht verfügbar. Versuchen Sie es später noch einmal.',
  GATEWAY_TIMEOUT:
    'Der Zahlungsdienst antwortet nicht rechtzeitig. Versuchen Sie es später noch einmal.',
  RATE_LIMIT_EXCEEDED:
    'Es gibt gerade zu viele Anfragen. Warten Sie kurz, und versuchen Sie es dann noch einmal.',
  TOO_MANY_ATTEMPTS: 'Es gab zu viele Versuche. Versuchen Sie es in einigen Minuten noch einmal.',
  PROCESSING_CONFLICT: 'Das wird bereits bearbeitet. Versuchen Sie es gleich noch einmal.',
  UNAUTHORIZED: 'Melden Sie sich erneut an.',
  FORBIDDEN: 'Das ist mit der aktuellen Anmeldung nicht erlaubt.',
  INVALID_DATA: 'Einige Angaben stimmen nicht. Bitte prüfen Sie Ihre Eingaben.',
  INVALID_DATA_QUERY: 'Diese Suche ist so nicht möglich. Bitte ändern Sie Ihre Eingabe.',
  UNPROCESSABLE_ENTITY: 'Das ist so nicht möglich. Bitte prüfen Sie Ihre Angaben.',
  ACCOUNT_NOT_READY: 'Das Konto ist noch nicht bereit. Versuchen Sie es später noch einmal.',
  INVALID_STATE_FOR_INVOICE_PAID: 'Diese Rechnung ist bereits bezahlt.',
  INVALID_STATE_FOR_INVOICE_REVERSED: 'Die Zahlung zu dieser Rechnung wurde zurückgebucht.',
  INVALID_STATE_FOR_INVOICE_CANCELLED: 'Diese Rechnung wurde storniert.',
  INVALID_STATE_FOR_INVOICE_EXPIRED:
    'Dieser Zahlungscode ist abgelaufen. Fordern Sie einen neuen an.',
  INVALID_RECIPIENT: 'Der Empfänger kann gerade keine Zahlungen erhalten.',
  PROCESSING_PAYMENT: 'Die Zahlung ist unterwegs. Bitte nicht noch einmal bezahlen.',
  DUPLICATE_INVOICE: 'Für diese Bestellung gibt es bereits eine Rechnung.',
  SELF_PAYMENT_NOT_ALLOWED: 'Eine Zahlung an sich selbst ist nicht möglich.',
  USER_CURRENCY_UNAVAILABLE: 'Das Konto führt diese Währung{currency} nicht.',
  LN_UNAVAILABLE:
    'Lightning-Zahlungen sind gerade nicht verfügbar. Versuchen Sie es später noch einmal.',
  EXCHANGE_RATE_NOT_AVAILABLE:
    'Es gibt gerade keinen Wechselkurs. Versuchen Sie es später noch einmal.',
  BALANCE_TOO_LOW: 'Das Guthaben reicht nicht aus.',
  INVALID_AMOUNT: 'Der Betrag muss größer als null sein.',
  AMOUNT_TOO_HIGH: 'Der Betrag liegt über der Grenze{limit}.',
  AMOUNT_TOO_LOW: 'Der Betrag liegt unter der Grenze{limit}.',
  UNSUPPORTED_PAYMENT_METHOD: 'Diese Zahlungsart wird nicht angeboten.',
  INVALID_PAYMENT_METHOD: 'Diese Zahlungsart ist hier nicht möglich. Bitte wählen Sie eine andere.',
  CURRENCY_UNSUPPORTED: 'Diese Währung{currency} wird nicht angeboten.',
  PLAID_LINKING_FAILED: 'Das Bankkonto konnte nicht verifiziert werden.',
  PAYMENT_METHOD_NOT_READY:
    'Das Bankkonto ist noch nicht bereit. Versuchen Sie es später noch einmal.',
  PAYOUT_ORIGINATOR_NOT_APPROVED: 'Der Auftraggeber dieser Auszahlung ist noch nicht freigegeben.',
  PAYOUT_ALREADY_INITIATED: 'Diese Auszahlung wurde bereits gestartet.',
  PAYMENT_PROCESSED: 'Diese Zahlung wurde bereits ausgeführt.',
  INVALID_LN_INVOICE: 'Das ist keine gültige Lightning-Rechnung.',
  LN_INVOICE_PROCESSED: 'Diese Lightning-Rechnung wurde bereits bezahlt.',
  INVALID_BITCOIN_ADDRESS: 'Das ist keine gültige Bitcoin-Adresse.',
  LN_ROUTE_NOT_FOUND: 'Der Empfänger ist über Lightning gerade nicht erreichbar.',
  PAYMENT_QUOTE_EXPIRED: 'Das Angebot ist abgelaufen. Fordern Sie ein neues an.',
  DUPLICATE_PAYMENT_QUOTE: 'Dieses Angebot gibt es bereits. Fordern Sie ein neues an.',
  TOO_MANY_TRANSACTIONS:
    'Die erlaubte Zahl von Zahlungen ist erreicht. Versuchen Sie es später noch einmal.',
  DUPLICATE_CURRENCY_EXCHANGE_QUOTE: 'Dieser Tausch wurde bereits angefragt.',
  CURRENCY_EXCHANGE_QUOTE_PROCESSED: 'Dieser Tausch wurde bereits ausgeführt.',
  CURRENCY_EXCHANGE_QUOTE_EXPIRED: 'Das Tauschangebot ist abgelaufen. Fordern Sie ein neues an.',
  CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED: 'Diese Währungen können nicht getauscht werden.',
  CURRENCY_EXCHANGE_AMOUNT_TOO_LOW: 'Der Betrag ist für einen Tausch zu niedrig.',
  DEPOSIT_LIMIT_EXCEEDED: 'Die erlaubte Zahl von Einzahlungen ist erreicht.',
  DUPLICATE_DEPOSIT: 'Diese Einzahlung gibt es bereits.',
  INVALID_DATA_REQUIRED: 'Füllen Sie dieses Feld aus.',
  INVALID_DATA_LENGTH: 'Die Länge stimmt nicht.',
  INVALID_DATA_MINLENGTH: 'Das ist zu kurz.',
  INVALID_DATA_MAXLENGTH: 'Das ist zu lang.',
  INVALID_DATA_VALUE: 'Das ist keine gültige Angabe.',
  INVALID_DATA_CURRENCY: 'Diese Währung{currency} ist hier nicht möglich.',
  INPUT_INVALID: 'Einige Angaben stimmen nicht. Bitte prüfen Sie Ihre Eingaben.',
  SECRET_IN_BROWSER: 'Diese Seite ist nicht richtig eingerichtet.',
  IDEMPOTENCY_KEY_EXPIRED:
    'Das kann nicht mehr wiederholt werden. Bitte prüfen Sie, ob es ausgeführt wurde.',
  TOKEN_UNAVAILABLE:
    'Der Zahlungsdienst ist nicht erreichbar. Versuchen Sie es später noch einmal.',
  LOGIN_REQUIRED: 'Melden Sie sich erneut an.',
  REFRESH_UNKNOWN:
    'Die Anmeldung konnte nicht bestätigt werden. Versuchen Sie es noch einmal; vielleicht müssen Sie sich erneut anmelden.',
  TIMEOUT: 'Das dauert zu lange. Versuchen Sie es noch einmal.',
  OFFLINE: 'Sie sind offline. Prüfen Sie Ihre Verbindung, und versuchen Sie es noch einmal.',
  UNREACHABLE: 'Der Zahlungsdienst ist nicht erreichbar. Versuchen Sie es später noch einmal.',
  ABORTED: 'Das wurde abgebrochen.',
  REDIRECT: 'Der Zahlungsdienst ist unter dieser Adresse nicht erreichbar.',
  RESPONSE_TOO_LARGE:
    'Die Antwort des Zahlungsdienstes war nicht lesbar. Versuchen Sie es später noch einmal.',
  RESPONSE_INVALID:
    'Die Antwort des Zahlungsdienstes war nicht lesbar. Versuchen Sie es später noch einmal.',
  RESPONSE_NOT_JSON:
    'Die Antwort des Zahlungsdienstes war nicht lesbar. Versuchen Sie es später noch einmal.',
  RESPONSE_MISMATCH:
    'Die Antwort des Zahlungsdienstes war nicht lesbar. Versuchen Sie es später noch einmal.',
  NOT_FROM_SERVICE: 'Der Zahlungsdienst ist nicht erreichbar. Versuchen Sie es später noch einmal.',
  TOO_MANY_UNKNOWN:
    'Bei zu vielen früheren Vorgängen ist das Ergebnis unbekannt. Es wurde nichts gesendet.',
  QUEUE_TIMEOUT:
    'Es gibt gerade zu viele Anfragen. Warten Sie kurz, und versuchen Sie es dann noch einmal.',
  EXISTS_UNREAD:
    'Das gibt es bereits, aber wir konnten es nicht abrufen. Bitte prüfen Sie es, bevor Sie es noch einmal versuchen.',
  LIST_UNSTABLE: 'Die Liste ändert sich ständig. Versuchen Sie es noch einmal.',
  WATCH_ENDED: 'Das wird nicht mehr aktualisiert. Bitte laden Sie die Seite neu.',
  LOGIN_REFUSED:
    'Die Anmeldung wurde abgelehnt. Melden Sie sich erneut an, oder fragen Sie den Betreiber dieser Seite.',
  LOGIN_STATE_MISMATCH:
    'Diese Anmeldung konnte nicht abgeschlossen werden. Bitte melden Sie sich noch einmal an.',
  SECRET_INVALID: 'Diese Seite ist nicht richtig eingerichtet.',
  SIGNATURE_MISSING: 'Diese Nachricht kam nicht vom Zahlungsdienst.',
  SIGNATURE_MALFORMED: 'Diese Nachricht kam nicht vom Zahlungsdienst.',
  SIGNATURE_MISMATCH: 'Diese Nachricht kam nicht vom Zahlungsdienst.',
  BODY_ALREADY_READ: 'Diese Nachricht kann nicht gelesen werden.',
  BODY_TOO_LARGE: 'Diese Nachricht kann nicht gelesen werden.',
};

/** German texts of the custom elements. */
export const elementsDe: ElementTexts = {
  locale: 'de',
  loading: 'Zahlung wird vorbereitet …',
  awaiting:
    'Warten auf Ihre Zahlung|Scannen Sie den Code mit einer Lightning-Wallet oder kopieren Sie ihn.',
  noPicture:
    'Warten auf Ihre Zahlung|Das Bild des Codes wurde nicht geladen. Kopieren Sie stattdessen den Code.',
  renewing: 'Kurs wird aktualisiert …',
  paused: 'Sind Sie noch da?|Der Code ist pausiert. Fortfahren kostet nichts.',
  pending:
    'Zahlung eingegangen|Sie wird bestätigt, das dauert einige Sekunden. Bitte nicht noch einmal bezahlen.',
  unconfirmed:
    'Ihre Zahlung wird geprüft|Vielleicht ist sie gescheitert. In {time} wissen wir es. Bitte noch nicht erneut bezahlen.',
  partial:
    'Teilzahlung erhalten|{part} von {amount} sind eingegangen. Für den Rest oder eine Erstattung wenden Sie sich bitte an den Shop.',
  less: 'Teilzahlung erhalten|Weniger als {amount} ist eingegangen. Für den Rest oder eine Erstattung wenden Sie sich bitte an den Shop.',
  paid: 'Bezahlt|Vielen Dank!',
  late: 'Bezahlt|Ihre Zahlung kam nach Ablauf des Codes an. Sie wurde angenommen.',
  over: 'Bezahlt|Sie haben mehr als den Preis bezahlt. Der Shop kann die Differenz erstatten.',
  cancelled: 'Bestellung storniert|Falls Sie bezahlt haben, wenden Sie sich bitte an den Shop.',
  reversed:
    'Zahlung rückgängig gemacht|Das Geld wurde zurückgeschickt. Wenden Sie sich bitte an den Shop.',
  unsafe:
    'Diesen Code nicht bezahlen|Er hat die Prüfung von Betrag, Netz oder Kurs nicht bestanden. Wenden Sie sich bitte an den Shop.',
  unknown:
    'Bestellung wird geprüft|Wir können ihren Stand noch nicht bestätigen. Bitte nicht noch einmal bezahlen.',
  failed:
    'Bestellung nicht verfügbar|Falls Sie bezahlt haben, ist Ihr Geld nicht verloren. Wenden Sie sich bitte an den Shop.',
  notFound: 'Bestellung nicht gefunden|Prüfen Sie den Link, oder beginnen Sie im Shop noch einmal.',
  stale:
    'Verbindungsproblem|Wir versuchen es weiter. Schon bezahlt? Dann bitte nicht noch einmal bezahlen.',
  offline:
    'Sie sind offline|Schon bezahlt? Dann bitte nicht noch einmal. Wir prüfen es, sobald Sie online sind.',
  blocked:
    'Der Zahlungsdienst ist überlastet|Nächste Prüfung um {time}. Schon bezahlt? Dann bitte nicht noch einmal.',
  order: 'Ihre Bestellung',
  test: 'Testgeld',
  way: 'Mit einer Lightning-Wallet bezahlen',
  lightning: 'Lightning',
  onchain: 'Bitcoin on-chain',
  onchainHint: 'Scannen Sie den Code mit einer Bitcoin-Wallet, oder kopieren Sie die Adresse.',
  code: 'Zahlungscode',
  wallet: 'In Wallet öffnen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyFailed: 'Das Kopieren hat nicht geklappt. Der Code ist markiert.',
  replaced: 'Aktualisiert. Der kopierte Code gilt nicht mehr. Bitte kopieren Sie den neuen.',
  webln: 'Im Browser bezahlen',
  weblnFailed:
    'Ihre Wallet hat die Zahlung nicht bestätigt. Sehen Sie dort nach, bevor Sie noch einmal bezahlen.',
  fresh: 'Fortfahren',
  again: 'Erneut versuchen',
  fixed: 'Kurs gilt noch {time}',
  valid: 'Code gilt noch {time}',
  renewed: 'Aktualisiert: jetzt {now}, vorher {before}.',
  same: 'Aktualisiert. Gleicher Betrag.',
  reference: 'Bestellung',
  details: 'Einzelheiten',
  time: 'Zeitpunkt',
  amount: 'Bezahlt',
  print: 'Beleg drucken',
  back: 'Zurück zum Shop',
  payAmount: '{amount} bezahlen',
  pay: 'Bezahlen',
  close: 'Schließen',
  orderFailed:
    'Die Zahlung konnte nicht gestartet werden. Es wurde nichts abgebucht. Versuchen Sie es erneut.',
  receives: 'Bisher erhalten',
  none: 'Es ist noch nichts angekommen.',
  incoming: 'unterwegs',
  listLoading: 'Wird geladen …',
  listStale: 'Verbindungsproblem. Wir versuchen es weiter.',
  listOffline: 'Sie sind offline. Die Liste wird aktualisiert, sobald Sie wieder online sind.',
  listBlocked: 'Der Zahlungsdienst ist überlastet. Wir versuchen es bald noch einmal.',
  listFailed: 'Die Liste kann nicht angezeigt werden.',
};
