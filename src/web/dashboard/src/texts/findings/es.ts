import type { EvidenceLabels, FindingTexts } from './finding-texts.ts';

export const findings: FindingTexts = {
  provider_missing: [
    'El proveedor no está en el catálogo',
    'El catálogo ya no tiene el proveedor {provider}.',
    'Restaure su archivo en CATALOG_DIR o el proveedor propio del proyecto, o elimine la integración.',
  ],
  provider_ended: [
    'El proveedor ha terminado',
    '{provider}, o la parte a la que corresponde esta entrada, ya no existe.',
    'Las notas del proveedor dicen qué lo sustituye; traslade allí a los usuarios.',
  ],
  provider_partner_only: [
    'Solo para socios',
    '{provider} solo admite aplicaciones de sus socios.',
    'Pida a {provider} que admita la aplicación, si aún no lo ha hecho.',
  ],
  provider_sign_in_only: [
    'Solo para iniciar sesión',
    'Los tokens de {provider} dicen quién es alguien y no abren ninguna otra API.',
    'Úselo para saber quién se conecta; para datos, elija otro proveedor.',
  ],
  provider_limited: [
    'Proveedor limitado',
    '{provider} no da todo a las aplicaciones nuevas.',
    'Lea las notas del proveedor antes de que los usuarios dependan de él.',
  ],
  client_accepted: [
    'Cliente aceptado',
    '{provider} acepta el id y el secreto del cliente.',
    'Nada que hacer.',
  ],
  client_not_needed: [
    'No hay cliente que comprobar',
    '{provider} usa las credenciales propias de cada usuario; la integración no tiene cliente allí.',
    'Nada que hacer.',
  ],
  client_unprovable: [
    'Cliente no comprobable',
    '{provider} no dice si el id y el secreto del cliente son correctos ({reason}).',
    'Conecte una cuenta de prueba: es la comprobación que queda.',
  ],
  client_not_checked: [
    'Cliente aún sin comprobar',
    'El gateway no ha preguntado últimamente a {provider} si acepta el cliente.',
    'Compruébelo de nuevo como propietario o administrador del proyecto.',
  ],
  client_secret_missing: [
    'Falta el secreto del cliente',
    'La integración no tiene un secreto legible y {provider} lo exige.',
    'Ponga como secreto del cliente el de la aplicación en {provider}.',
  ],
  client_secret_refused: [
    'Secreto del cliente incorrecto',
    '{provider} rechaza el secreto del cliente.',
    'Copie de nuevo el secreto de la aplicación en {provider}, o cree uno nuevo allí, e introdúzcalo aquí. Compruebe que es el valor del secreto y no su id.',
  ],
  client_key_refused: [
    'Clave incorrecta',
    '{provider} rechaza lo que se firmó con la clave de la integración: {variable}.',
    'Cree en {provider} una clave para la misma aplicación y póngala como esa variable de la integración. Una clave de otra aplicación, o una que se borró allí, se rechaza aunque el id y el secreto del cliente sean correctos.',
  ],
  client_secret_older_used: [
    'Solo funciona el secreto anterior',
    '{provider} rechaza el secreto más nuevo y acepta el anterior, que el gateway dejará de usar pronto.',
    'Copie de nuevo el secreto más nuevo de la aplicación en {provider} e introdúzcalo.',
  ],
  client_secret_expired: [
    'Secreto del cliente caducado',
    'El secreto del cliente en {provider} ha caducado.',
    'Cree un secreto nuevo para la aplicación en {provider}, introdúzcalo y anote su fin.',
  ],
  client_secret_expires_soon: [
    'El secreto del cliente caduca pronto',
    'El secreto del cliente caduca el {expiresAt}.',
    'Cree antes un secreto nuevo para la aplicación en {provider} e introdúzcalo; durante siete días se prueban ambos.',
  ],
  client_id_unknown: [
    'Id de cliente incorrecto',
    '{provider} no conoce ninguna aplicación con este id de cliente.',
    'Compare el id de cliente de la integración con la aplicación en {provider}: otra aplicación, otro entorno o un espacio al final.',
  ],
  client_refused: [
    'Cliente rechazado',
    '{provider} rechaza el cliente y no dice si es por el id o por el secreto.',
    'Copie de nuevo el id y el secreto de la aplicación en {provider} e introduzca ambos.',
  ],
  region_wrong: [
    'Región incorrecta',
    'El cliente no está registrado en la región «{region}» de {provider}, sino en «{otherRegion}».',
    'Ponga la variable «{variable}» de la integración a «{otherRegion}».',
  ],
  tenant_wrong: [
    'Inquilino incorrecto',
    '{provider} no conoce tal inquilino, o la aplicación no pertenece a él.',
    'Compare las variables de la integración (inquilino, subdominio, organización) con la dirección en la que se inicia sesión, y compruebe en qué inquilino está registrada la aplicación.',
  ],
  redirect_url_refused: [
    'URL de redirección no registrada',
    '{provider} rechaza la URL de redirección {redirectUrl}.',
    'Registre exactamente {redirectUrl} como URL de redirección de la aplicación en {provider}: esquema, host, puerto y ruta, sin barra al final.',
  ],
  scopes_refused: [
    'Scopes rechazados',
    '{provider} rechaza los scopes que pide la integración: desconocidos, o más de los que la aplicación puede tener.',
    'Quite los scopes que la aplicación en {provider} no tiene, o añádaselos allí. Se piden: {scopes}.',
  ],
  scope_not_granted: [
    'Un scope no se concede',
    '{provider} no concedió {scopes}.',
    'Añada los scopes a la aplicación en {provider}, haga que los usuarios dejen marcados todos los permisos, o pida como opcional lo que no haga falta. Las conexiones existentes deben autorizarse de nuevo.',
  ],
  scope_not_asked: [
    'Se conceden más scopes de los pedidos',
    '{provider} concede {scopes}, que la integración no pide.',
    'Quite de la aplicación en {provider} lo que no haga falta, o añádalo a los scopes de la integración.',
  ],
  app_unverified: [
    'Aplicación no aprobada',
    '{provider} conoce la aplicación y no le permite conectar cuentas: sin verificar, sin publicar o suspendida.',
    'Envíe la aplicación a verificación en {provider}, publíquela o añada a los usuarios como probadores; compruebe que la concesión por código está activada.',
  ],
  app_needs_admin: [
    'Un administrador debe aprobar la aplicación',
    'Las organizaciones en {provider} solo dejan aprobar la aplicación a sus administradores, o la bloquean.',
    'Envíe a los administradores de esas organizaciones el enlace para aprobar la aplicación, o pida menos scopes.',
  ],
  authorization_refused: [
    'Solicitud de autorización rechazada',
    '{provider} no entendió la solicitud de autorización.',
    'Compare los parámetros, scopes y variables de la integración con la documentación de {provider}.',
  ],
  provider_down: [
    'Proveedor caído',
    '{origin} de {provider} no responde, o responde con un fallo propio.',
    'Mire si {provider} informa de una interrupción. Si no, compruebe la red y el cortafuegos del gateway.',
  ],
  provider_name_unresolved: [
    'Nombre del proveedor no encontrado',
    'El nombre en {origin} de {provider} no tiene dirección.',
    'Compruebe los servidores de nombres del gateway y las variables que forman parte del host.',
  ],
  provider_tls_broken: [
    'TLS del proveedor defectuoso',
    'No hay conexión segura con {origin} de {provider}: no se acepta su certificado o su TLS.',
    'Espere a que {provider} arregle su certificado. Si un proxy inspecciona TLS, dé su certificado al gateway con NODE_EXTRA_CA_CERTS; compruebe el reloj del gateway.',
  ],
  client_certificate_refused: [
    'Certificado de cliente rechazado',
    '{origin} de {provider} interrumpe el establecimiento de TLS: no acepta el certificado de cliente, o pide uno y no recibe ninguno.',
    'Compare el certificado con el que {provider} emitió o registró: indique toda su cadena, y uno que no haya caducado. El certificado del operador está en las variables de la integración; el de un usuario se cambia conectando de nuevo.',
  ],
  client_certificate_unusable: [
    'Sin certificado de cliente utilizable',
    'A {provider} se le llama con un certificado de cliente, y la integración no tiene ninguno con su clave privada.',
    'Ponga el certificado y la clave privada en las variables de la integración, ambos en PEM, con la contraseña de una clave cifrada.',
  ],
  client_certificate_expired: [
    'Certificado de cliente caducado',
    'El certificado de cliente para {provider} caducó el {expiresAt}.',
    'Haga que {provider} emita o registre un certificado nuevo, y póngalo con su clave privada en las variables de la integración.',
  ],
  client_certificate_expires_soon: [
    'El certificado de cliente caduca pronto',
    'El certificado de cliente para {provider} caduca el {expiresAt}.',
    'Haga que {provider} emita o registre antes un certificado nuevo, y póngalo con su clave privada en las variables de la integración.',
  ],
  provider_timeout: [
    'El proveedor no responde',
    '{origin} de {provider} acepta la conexión y no responde a tiempo.',
    'Mire si {provider} informa de una interrupción; compruebe los proxys y cortafuegos intermedios.',
  ],
  provider_slow: [
    'Proveedor lento',
    '{origin} de {provider} tardó {seconds} s en responder.',
    'Mire si {provider} informa de una interrupción. Las llamadas cuyo token hay que renovar esperan lo mismo.',
  ],
  provider_address_refused: [
    'Dirección del proveedor no permitida',
    '{origin} de {provider} no es una dirección https pública.',
    'Corrija la dirección del proveedor o las variables que contiene. En desarrollo, ALLOW_PRIVATE_NETWORKS la deja pasar.',
  ],
  clock_off: [
    'Reloj desajustado',
    'El reloj del gateway difiere del de {provider} en {seconds} s.',
    'Deje que NTP ajuste el reloj de la máquina. Hasta entonces los tokens se rechazan o se renuevan demasiado pronto.',
  ],
  public_url_differs: [
    'Los navegadores usan otra dirección',
    'Los navegadores abren el gateway en {hosts}, y PUBLIC_URL es {publicUrl}.',
    'Ponga PUBLIC_URL a la dirección que se usa, y TRUST_PROXY si un proxy inverso pasa el host; después registre las nuevas URL de redirección en los proveedores.',
  ],
  origin_not_allowed: [
    'Origen no permitido',
    'Páginas de {origins} preguntan al gateway y son rechazadas: el proyecto no las permite.',
    'Añada el origen, exactamente como está aquí, a los orígenes permitidos del proyecto si las páginas son suyas.',
  ],
  return_url_not_registered: [
    'URL de retorno no registrada',
    'La aplicación quiere a los usuarios de vuelta en {urls}, que el proyecto no tiene.',
    'Añada exactamente esta URL a las URL de retorno del proyecto, o haga que la aplicación envíe una registrada.',
  ],
  sign_ins_denied: [
    'Los usuarios dicen que no',
    '{count} inicios de sesión de los últimos días terminaron porque no se concedió el acceso.',
    'Explique a los usuarios para qué son los permisos, y no pida más de lo necesario.',
  ],
  sign_ins_not_returning: [
    'Los usuarios no vuelven',
    '{count} usuarios fueron enviados a {provider} en los últimos días, y ninguno volvió.',
    'Pruebe con una cuenta de prueba. {provider} suele mostrar entonces una página de error propia: aplicación sin verificar, URL de redirección no registrada o id de cliente incorrecto.',
  ],
  sign_ins_abandoned: [
    'Los usuarios se quedan en el formulario',
    '{count} inicios de sesión de los últimos días se abrieron y terminaron antes de preguntar a {provider}.',
    'Diga a los usuarios en su aplicación qué les pedirá el formulario y dónde lo encuentran.',
  ],
  sign_in_interrupted: [
    'Inicio de sesión interrumpido',
    'El inicio de sesión tardó demasiado, se abrió en otro navegador o ya estaba hecho.',
    'Empiece de nuevo desde la aplicación y quédese en un navegador.',
  ],
  sign_in_other_account: [
    'Otra cuenta',
    'El usuario inició sesión en otra cuenta de {provider} que la conectada antes.',
    'Inicie sesión en la misma cuenta, o desconecte antes aquella.',
  ],
  provider_setup_missing: [
    'Queda algo por hacer en el proveedor',
    '{provider} conoce las credenciales de los inicios de sesión, pero allí aún no se ha permitido que actúen así. La prueba dice qué falta y dónde.',
    'Haga en {provider} lo que dice la prueba y conecte de nuevo.',
  ],
  credentials_refused: [
    'Credenciales del usuario rechazadas',
    '{provider} rechaza las credenciales que introdujo el usuario.',
    'Pida al usuario que las copie de nuevo.',
  ],
  sign_ins_failing: [
    'Los inicios de sesión fallan',
    '{provider} termina los inicios de sesión con un error.',
    'Mire abajo las palabras del proveedor y la actividad de la solicitud; pruebe con una cuenta de prueba.',
  ],
  connection_works: [
    'La conexión funciona',
    '{provider} acepta la credencial de la conexión.',
    'Nada que hacer.',
  ],
  connection_unprovable: [
    'Conexión no comprobable',
    'El catálogo no conoce ninguna llamada inocua de {provider} que compruebe la credencial ({reason}).',
    'Haga por el proxy una llamada que no cambie nada.',
  ],
  credential_not_accepted: [
    'Credencial no aceptada',
    '{provider} rechaza las credenciales de {count} conexiones, y no se pueden renovar.',
    'Haga que los usuarios conecten de nuevo las mismas conexiones.',
  ],
  calls_refused: [
    'Llamadas rechazadas',
    '{provider} rechaza llamadas de {count} conexiones cuyas credenciales no se pueden renovar, y no está probado que hayan caducado.',
    'Pruebe una de esas conexiones o haga una llamada que su cuenta pueda hacer con seguridad. Si también se rechaza, haga que el usuario conecte de nuevo la misma conexión.',
  ],
  refresh_refused: [
    'Renovación rechazada',
    '{provider} rechaza los tokens de renovación de {count} conexiones y no dice que los usuarios los revocaran.',
    'Haga que los usuarios autoricen de nuevo. Si son muchos: compruebe en {provider} cuánto viven los tokens de renovación, si la aplicación cambió y si otro sistema usa los mismos tokens.',
  ],
  grant_revoked: [
    'Revocado por el usuario',
    '{provider} dice que se retiró el acceso de {count} conexiones.',
    'Haga que el usuario autorice de nuevo la misma conexión, si no era lo que quería.',
  ],
  refresh_failing: [
    'Las renovaciones fallan',
    'Los tokens de acceso de {count} conexiones no se pueden renovar por ahora; el gateway sigue intentándolo.',
    'Mire si {provider} informa de una interrupción; no se pierde nada mientras los tokens de renovación sirvan.',
  ],
  refresh_slow: [
    'Renovación lenta',
    '{provider} no respondió a tiempo a la renovación de {count} conexiones.',
    'Mire si {provider} informa de una interrupción. TOKEN_REQUEST_TIMEOUT_MS da más tiempo a las solicitudes de tokens; un token de renovación de un solo uso puede gastarse si su respuesta se pierde.',
  ],
  webhook_secret_wrong: [
    'Secreto de webhooks incorrecto',
    '{count} webhooks de {provider} llevaban una firma que no corresponde al secreto de webhooks.',
    'Copie el secreto de firma de los webhooks en {provider} e introdúzcalo como secreto de webhooks de la integración.',
  ],
  webhook_never_came: [
    'Nunca llegó un webhook',
    '{provider} aún no ha enviado ningún webhook a {webhookUrl}.',
    'Registre exactamente {webhookUrl} para los eventos que quiera en {provider}, compruebe que se alcanza desde internet y cambie algo allí.',
  ],
  project_storage_full: [
    'El proyecto guarda tanto como puede',
    'Los sondeos del proyecto están en pausa y sus webhooks se responden con 503 y el código project_storage_full.',
    'Elimine los sondeos que leen más de lo necesario, y los destinos y webhooks que nadie lee. Lo que supera su plazo de conservación deja sitio por sí solo; quien gestiona el gateway puede subir PROJECT_STORAGE_MIB_MAX y PROJECT_STORAGE_ROWS_MAX.',
  ],
};

export const evidenceLabels: EvidenceLabels = {
  'Authorization endpoint': 'Punto de autorización',
  Catalog: 'Catálogo',
  Date: 'Fecha',
  Connection: 'Conexión',
  'Failed sign-in': 'Inicio de sesión fallido',
  Failure: 'Fallo',
  'Noted end': 'Fin anotado',
  'End of the certificate': 'Fin del certificado',
  'Our clock is ahead by': 'Nuestro reloj adelanta',
  'Our clock is ahead of the database’s by': 'Nuestro reloj adelanta al de la base de datos',
  'Provider’s words': 'Palabras del proveedor',
  'Return URL': 'URL de retorno',
  'Signatures refused': 'Firmas rechazadas',
  'Token endpoint': 'Punto de tokens',
};
