import type { Texts } from './en.ts';

const TELL_THE_MAKERS = 'Usted no puede resolverlo. Avise a los responsables de la aplicación';

/** Español, de usted. */
export const ES: Texts = {
  choose: {
    title: 'Conectar una cuenta',
    lead: 'Elija el servicio que desea conectar.',
    empty: 'Todavía no hay nada que conectar. Avise a los responsables de la aplicación.',
    search: 'Buscar servicios',
    searchButton: 'Buscar',
    matches: (count) => (count === 1 ? '1 servicio' : `${count} servicios`),
    noMatch: (words) => `Ningún servicio coincide con «${words}».`,
    showAll: 'Mostrar todos los servicios',
    mostUsed: 'Los más usados',
    part: (first, last, count) =>
      `Se muestran del ${first} al ${last} de ${count}, primero los más usados. Busque los demás.`,
    next: 'Mostrar los siguientes',
    first: 'Volver a los primeros',
  },
  cancel: 'Cancelar',
  tenants: {
    titles: {
      account: 'Elija una cuenta',
      organization: 'Elija una organización',
      company: 'Elija una empresa',
      site: 'Elija un sitio',
      workspace: 'Elija un espacio de trabajo',
      business: 'Elija un negocio',
      location: 'Elija una ubicación',
      project: 'Elija un proyecto',
      page: 'Elija una página',
    },
    lead: (provider) =>
      `La aplicación puede acceder a varios elementos en ${provider}. Elija el que debe utilizar.`,
    search: 'Buscar en la lista',
    searchButton: 'Buscar',
    matches: (count) => (count === 1 ? '1 elemento' : `${count} elementos`),
    noMatch: (words) => `Ningún elemento coincide con «${words}».`,
    showAll: 'Mostrar todos los elementos',
    more: (count) => `Se muestran los primeros ${count}. Use el buscador para encontrar los demás.`,
    unchosen: 'Elija uno de estos elementos.',
    cancel: 'Cancelar: no es ninguno de estos',
  },
  categories: {
    crm: 'CRM',
    marketing: 'Marketing',
    support: 'Atención al cliente',
    communication: 'Comunicación',
    'calendar-email': 'Calendario y correo',
    productivity: 'Productividad',
    'project-management': 'Gestión de proyectos',
    storage: 'Archivos y almacenamiento',
    accounting: 'Contabilidad',
    commerce: 'Comercio',
    payments: 'Pagos',
    hr: 'Recursos humanos',
    developer: 'Herramientas de desarrollo',
    analytics: 'Analítica',
    social: 'Redes sociales',
    identity: 'Identidad',
    design: 'Diseño',
    sales: 'Ventas',
    data: 'Datos',
    security: 'Seguridad',
    health: 'Salud',
    education: 'Educación',
    legal: 'Derecho',
    media: 'Medios y juegos',
    other: 'Otros servicios',
  },
  form: {
    title: (provider) => `Conectar ${provider}`,
    leadOAuth: (provider) =>
      `Primero necesitamos algunos datos. Después pasará a ${provider}, donde deberá iniciar sesión y dar su consentimiento.`,
    leadKey: (provider) => `Introduzca las credenciales de su cuenta de ${provider}. Se guardan cifradas.`,
    leadClient: (provider) =>
      `La aplicación se conecta a ${provider} con una cuenta propia. Nadie tiene que iniciar sesión.`,
    goOn: (provider) => `Continuar a ${provider}`,
    connect: 'Conectar',
    apiKey: 'Clave de API',
    username: 'Nombre de usuario',
    password: 'Contraseña',
    example: (example) => `Por ejemplo: ${example}`,
    choose: 'Elija una opción',
    none: 'Sin indicar',
    documentation: (provider) => `Documentación de ${provider} (se abre en una ventana nueva)`,
    required: 'Rellene este campo.',
    unusable:
      'Contiene caracteres que ninguna credencial de este tipo tiene. Cópiela de nuevo, sin comillas.',
    invalid: (label) => `Este valor no puede ser correcto para «${label}». Compruebe cómo está escrito.`,
    certificateNotInForce: 'Este certificado ha caducado o aún no es válido. Use uno que sea válido hoy.',
    otherKey:
      'Esta clave pertenece a otro certificado. Pegue la clave para la que se emitió este certificado.',
    passphraseMissing: 'La clave privada está cifrada. Escriba su contraseña.',
    passphraseWrong: 'Esta contraseña no abre la clave privada.',
  },
  outcome: {
    connectedTitle: 'Conectado',
    connectedLead: (provider) => `Su cuenta de ${provider} está conectada. Puede cerrar esta ventana.`,
    returningTitle: 'Casi listo',
    returningLead: (provider) =>
      `Su cuenta de ${provider} está lista. La aplicación termina la conexión; si esta ventana sigue abierta, ciérrela.`,
    leadingBackLead: (provider) =>
      `Su cuenta de ${provider} está lista. Ahora vuelve a la aplicación, que termina la conexión.`,
    backTo: (application) => (application === '' ? 'Volver a la aplicación' : `Volver a ${application}`),
    tryAgain: 'Intentar de nuevo',
    closeWindow: 'Cerrar esta ventana',
    failedTitle: 'Sin conexión',
    whatToDo: 'Qué puede hacer',
    closeHint: 'Puede cerrar esta ventana.',
    details: 'Detalles técnicos',
    code: 'Código de error',
    reason: 'Motivo',
    providerCode: 'Código del proveedor',
    requestId: 'Solicitud',
  },
  agents: {
    codeTitle: 'Falta un paso',
    codeLead: 'Copie este código y déselo al asistente en el que pidió la conexión.',
    code: 'Código',
    copy: 'Copiar el código',
    codeWarning:
      'No dé el código a nadie más. Sin él no se conecta nada; si otra persona le envió aquí, cierre esta ventana.',
    noCode: 'No se ha conectado nada. Puede cerrar esta ventana y volver a preguntar a su asistente.',
    needsScript: 'Esta página necesita JavaScript para mostrar el código.',
  },
  failures: {
    access_denied: {
      title: 'No se concedió el acceso',
      text: (provider) => `${provider} indica que no se concedió el acceso. No se ha conectado nada.`,
      remedy: () => 'Si fue un descuido, inténtelo de nuevo y permita el acceso.',
    },
    cancelled: {
      title: 'Cancelado',
      text: () => 'No se ha conectado nada.',
      remedy: () => 'Puede empezar de nuevo cuando quiera.',
    },
    admin_consent_required: {
      title: 'Debe aprobarlo un administrador',
      text: (provider) =>
        `En su organización, solo un administrador de ${provider} puede aprobar esta aplicación.`,
      remedy: (provider) =>
        `Pida al administrador de ${provider} que apruebe la aplicación y después empiece de nuevo.`,
    },
    not_assigned: {
      title: 'Su cuenta no puede usar esta aplicación',
      text: (provider) => `Su organización no ha dado a su cuenta de ${provider} acceso a esta aplicación.`,
      remedy: (provider) => `Pida acceso al administrador de ${provider} o inicie sesión con otra cuenta.`,
    },
    blocked_by_policy: {
      title: 'Su organización no lo permite',
      text: (provider) => `Una norma de su organización en ${provider} bloquea esta aplicación.`,
      remedy: (provider) => `Pregunte al administrador de ${provider} si se puede permitir la aplicación.`,
    },
    wrong_organisation: {
      title: 'Esta cuenta pertenece a otro lugar',
      text: (provider) =>
        `La cuenta de ${provider} con la que inició sesión no pertenece a una organización que pueda usar esta aplicación.`,
      remedy: () => 'Empiece de nuevo e inicie sesión con otra cuenta, normalmente la de su trabajo.',
    },
    sign_in_required: {
      title: 'No había iniciado sesión',
      text: (provider) => `${provider} no pudo saber quién es usted, porque nadie había iniciado sesión.`,
      remedy: (provider) => `Inicie sesión en ${provider} en este navegador y después empiece de nuevo.`,
    },
    account_mismatch: {
      title: 'Otra cuenta',
      text: (provider) => `Inició sesión con una cuenta de ${provider} distinta de la que estaba conectada.`,
      remedy: () => 'Empiece de nuevo e inicie sesión con la misma cuenta, o desconecte antes la anterior.',
    },
    tenant_lost: {
      title: 'Ya no hay acceso',
      text: (provider) =>
        `Con la cuenta de ${provider} con la que inició sesión, la aplicación ya no tiene acceso a lo que estaba conectado.`,
      remedy: () =>
        'Empiece de nuevo, inicie sesión con la cuenta anterior y dé acceso al mismo sitio o a la misma organización. O elimine antes la conexión existente.',
    },
    tenant_unknown: {
      title: 'Sin acceso',
      text: (provider) =>
        `Con la cuenta de ${provider} con la que inició sesión, la aplicación no tiene acceso a lo que ha solicitado.`,
      remedy: () =>
        'Empiece de nuevo con una cuenta que tenga los permisos necesarios y dé acceso cuando se le pida.',
    },
    tenant_missing: {
      title: 'Nada que conectar',
      text: (provider) =>
        `Con su cuenta de ${provider}, la aplicación no tiene acceso a ningún sitio, organización ni cuenta.`,
      remedy: () =>
        'Empiece de nuevo y dé acceso al menos a un elemento. Es posible que deba ser miembro con permisos suficientes.',
    },
    tenants_refused: {
      title: 'No se permitió ver la lista',
      text: (provider) => `${provider} no permitió que la aplicación viera a qué tiene acceso su cuenta.`,
      remedy: () =>
        'Avise a los responsables de la aplicación: puede que a la aplicación le falte un permiso (scope) o que su cuenta no tenga los derechos necesarios.',
    },
    integration_disabled: {
      title: 'Desactivado por ahora',
      text: (provider) => `La aplicación ha desactivado ${provider} por ahora.`,
      remedy: () => 'Inténtelo más tarde. Las cuentas conectadas siguen conectadas.',
    },
    integration_not_allowed: {
      title: 'No se ofrece aquí',
      text: (provider) => `La aplicación no ofrece ${provider} aquí.`,
      remedy: () => 'Empiece de nuevo desde la aplicación y elija entre lo que ofrece.',
    },
    application_variables_missing: {
      title: 'La aplicación tiene que empezar esto',
      text: (provider) =>
        `En ${provider} la propia aplicación tiene que indicar en nombre de quién actúa, y no lo hizo.`,
      remedy: () => `${TELL_THE_MAKERS}.`,
    },
    operator_needed: {
      title: 'Queda algo por hacer en el proveedor',
      text: (provider) =>
        `${provider} conoce estas credenciales, pero allí aún no se ha permitido que actúen en su nombre.`,
      remedy: () => 'Pregunte a los responsables de la aplicación; ellos ven qué hay que hacer.',
    },
    tenants_unsupported: {
      title: 'Nada que elegir',
      text: (provider) =>
        `La aplicación indicó una parte concreta de una cuenta de ${provider}, pero allí no hay nada que elegir.`,
      remedy: () => `${TELL_THE_MAKERS}.`,
    },
    missing_scopes: {
      title: 'Faltan permisos',
      text: (provider) => `${provider} concedió menos permisos de los que la aplicación necesita.`,
      remedy: () =>
        'Empiece de nuevo y deje marcados todos los permisos. Si no hay ninguno que marcar, a su cuenta le falta un derecho: consulte a su administrador.',
    },
    credentials_refused: {
      title: 'Credenciales no aceptadas',
      text: (provider) => `${provider} no acepta estas credenciales.`,
      remedy: () => 'Compruébelas e inténtelo de nuevo.',
    },
    credentials_unproved: {
      title: 'No se han podido comprobar las credenciales',
      text: (provider) => `La respuesta de ${provider} no indica si estas credenciales son correctas.`,
      remedy: () => 'Compruébelas, así como la dirección, si ha introducido alguna, e inténtelo de nuevo.',
    },
    integration_misconfigured: {
      title: 'La aplicación no está bien configurada',
      text: (provider) =>
        `La configuración de la aplicación para ${provider} no es correcta: ${provider} la rechaza.`,
      remedy: () => `${TELL_THE_MAKERS} e indique los detalles técnicos de abajo.`,
    },
    client_refused: {
      title: 'La aplicación no está bien configurada',
      text: (provider) =>
        `La configuración de la aplicación para ${provider} no es correcta: ${provider} no acepta las credenciales de la propia aplicación.`,
      remedy: (provider) =>
        `${TELL_THE_MAKERS}: el identificador o el secreto de cliente en ${provider} son incorrectos o han caducado.`,
    },
    invalid_scope: {
      title: 'La aplicación pide demasiado',
      text: (provider) => `La aplicación pide permisos que ${provider} no conoce o no le concede.`,
      remedy: () => `${TELL_THE_MAKERS}: hay que corregir los permisos (scopes) de la integración.`,
    },
    unauthorized_client: {
      title: 'La aplicación no está aprobada',
      text: (provider) =>
        `${provider} no conoce esta aplicación o no le permite conectar cuentas de esta manera.`,
      remedy: (provider) => `${TELL_THE_MAKERS}: hay que aprobarla o activarla en ${provider}.`,
    },
    redirect_uri_mismatch: {
      title: 'La aplicación no está bien configurada',
      text: (provider) =>
        `${provider} no conoce la dirección a la que debería devolverle (la URL de redirección).`,
      remedy: (provider) => `${TELL_THE_MAKERS}: hay que registrar la URL de redirección en ${provider}.`,
    },
    provider_refused_request: {
      title: 'La aplicación no está bien configurada',
      text: (provider) => `${provider} no pudo entender lo que pedía la aplicación.`,
      remedy: () => `${TELL_THE_MAKERS} e indique los detalles técnicos de abajo.`,
    },
    server_error: {
      title: 'Un fallo del proveedor',
      text: (provider) => `Algo salió mal en ${provider}.`,
      remedy: (provider) =>
        `Inténtelo de nuevo dentro de unos minutos. Si continúa, mire si ${provider} informa de una incidencia.`,
    },
    temporarily_unavailable: {
      title: 'No disponible por el momento',
      text: (provider) => `${provider} está sobrecargado o en mantenimiento.`,
      remedy: () => 'Inténtelo de nuevo dentro de unos minutos.',
    },
    provider_unreachable: {
      title: 'No se puede acceder al proveedor',
      text: (provider) => `${provider} no respondió cuando se iba a terminar la conexión.`,
      remedy: () => 'Inténtelo de nuevo dentro de unos minutos.',
    },
    provider_error: {
      title: 'El proveedor respondió con un error',
      text: (provider) => `${provider} respondió con un error.`,
      remedy: () =>
        'Inténtelo de nuevo dentro de unos minutos. Si continúa, avise a los responsables de la aplicación.',
    },
    session_expired: {
      title: 'Este enlace ha caducado',
      text: () => 'Ha pasado demasiado tiempo y el enlace ya no es válido.',
      remedy: () => 'Empiece de nuevo desde la aplicación.',
    },
    session_used: {
      title: 'Este enlace ya se ha usado',
      text: () => 'Este enlace ya se ha usado o se abrió en otro navegador.',
      remedy: () => 'Empiece de nuevo desde la aplicación.',
    },
    invalid_state: {
      title: 'Esta página llegó tarde',
      text: () =>
        'Esta respuesta no corresponde a ninguna autorización en curso o llegó por segunda vez, por ejemplo porque se volvió a cargar la página.',
      remedy: () =>
        'Si la aplicación muestra su cuenta como conectada, todo está bien. Si no, empiece de nuevo desde allí.',
    },
    flow_binding_failed: {
      title: 'Otro navegador',
      text: () =>
        'La autorización se inició en otro navegador, o este navegador no guarda cookies. Por su seguridad termina aquí.',
      remedy: () =>
        'Empiece de nuevo desde la aplicación, no cambie de navegador y permita las cookies de este sitio.',
    },
    invalid_callback: {
      title: 'Una respuesta incompleta',
      text: () => 'La respuesta del proveedor está incompleta o no es la esperada.',
      remedy: () => 'Empiece de nuevo desde la aplicación.',
    },
    not_found: {
      title: 'Este enlace no existe',
      text: () => 'Este enlace no existe o ya no se conserva.',
      remedy: () => 'Empiece de nuevo desde la aplicación y abra el enlace completo.',
    },
    invalid_request: {
      title: 'No se pudo leer',
      text: () => 'No se pudo leer lo que envió su navegador.',
      remedy: () => 'Vuelva atrás, cargue de nuevo la página e inténtelo otra vez.',
    },
    body_too_large: {
      title: 'Es demasiado largo',
      text: () => 'Es más de lo que cabe en este formulario.',
      remedy: () => 'Vuelva atrás e inténtelo otra vez.',
    },
    rate_limited: {
      title: 'Demasiados intentos',
      text: () => 'Desde su red llegaron más solicitudes de las que aceptamos en un minuto.',
      remedy: () => 'Espere un minuto y vuelva a cargar la página.',
    },
    internal_error: {
      title: 'Un fallo nuestro',
      text: () => 'Algo salió mal por nuestra parte.',
      remedy: () => 'Inténtelo de nuevo dentro de unos minutos.',
    },
  },
};
